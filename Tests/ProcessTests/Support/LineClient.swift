import Foundation
import RexProtocol
import RexTesting

/// A small client of its own: a socket, lines of JSON, a deadline for every read.
///
/// It knows nothing of the clients that Rex brings, so that what it finds is the server's doing.
final class LineClient {
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    static let patience = ChildProcess.patience

    private(set) var descriptor: Int32
    private var held: [UInt8] = []
    private var start = 0
    private var isEnded = false
    /// Frames that answered no request of `ask`, in the order of their arrival.
    private(set) var pushed: [JSONValue] = []
    private var lastID = 0

    /// Connects to a server's first address.
    ///
    /// - Parameter receiveBuffer: the bytes that the kernel holds for us, for readers that are
    /// slow.
    convenience init(
        _ server: ServerProcess, receiveBuffer: Int32? = nil, from source: String? = nil
    ) throws {
        try self.init(port: server.port, receiveBuffer: receiveBuffer, from: source)
    }

    init(port: UInt16, receiveBuffer: Int32? = nil, from source: String? = nil) throws {
        descriptor = try Sockets.connect(
            port: port, receiveBuffer: receiveBuffer, from: source)
    }

    init(path: String) throws { descriptor = try Sockets.connect(path: path) }

    deinit { close() }

    // MARK: Sending

    /// Sends bytes as they are; waits as long as the other side takes none, to a deadline.
    func send(_ bytes: some Collection<UInt8>) throws {
        var rest = Array(bytes)[...]
        let deadline = ContinuousClock.now + Self.patience
        while !rest.isEmpty {
            let count = try sendSome(rest)
            rest = rest.dropFirst(count)
            if count > 0 { continue }
            guard Sockets.wait(descriptor, for: POLLOUT, until: deadline) else {
                throw Failure(description: "the server takes nothing; \(rest.count) bytes wait")
            }
        }
    }

    func send(_ text: String) throws { try send(text.utf8) }

    func send(_ frame: JSONValue) throws { try send("\(frame)\n") }

    /// Sends what the kernel takes now and returns how much that was.
    func sendSome(_ bytes: ArraySlice<UInt8>) throws -> Int {
        let count = bytes.withUnsafeBytes {
            Foundation.send(descriptor, $0.baseAddress, $0.count, Sockets.noSignal | Sockets.noWait)
        }
        if count >= 0 { return count }
        guard errno == EAGAIN || errno == EINTR else {
            throw Failure(description: "the connection takes no more: \(Sockets.reason)")
        }
        return 0
    }

    // MARK: Receiving

    /// The next line without its end; nil at the end of the connection.
    func line(within limit: Duration = patience) throws -> [UInt8]? {
        let deadline = ContinuousClock.now + limit
        var searched = start
        while true {
            if let end = held[searched...].firstIndex(of: UInt8(ascii: "\n")) {
                let line = Array(held[start..<end])
                start = end + 1
                return line
            }
            searched = held.count - start
            held.removeFirst(start)
            start = 0
            guard try fill(until: deadline) else { return nil }
        }
    }

    /// Exactly so many bytes; nil at the end of the connection.
    func bytes(_ count: Int, within limit: Duration = patience) throws -> [UInt8]? {
        let deadline = ContinuousClock.now + limit
        while held.count - start < count {
            guard try fill(until: deadline) else { return nil }
        }
        defer { start += count }
        return Array(held[start..<(start + count)])
    }

    private func fill(until deadline: ContinuousClock.Instant) throws -> Bool {
        if isEnded { return false }
        guard Sockets.wait(descriptor, for: POLLIN, until: deadline) else {
            let text = String(decoding: held.prefix(300), as: UTF8.self)
            throw Failure(
                description: "nothing came in time; so far '\(text)', before it \(pushed)")
        }
        let chunk = [UInt8](unsafeUninitializedCapacity: 262_144) { memory, filled in
            filled = max(0, recv(descriptor, memory.baseAddress, memory.count, 0))
        }
        held += chunk
        if chunk.isEmpty { isEnded = true }
        return !chunk.isEmpty
    }

    /// The next frame.
    func frame(within limit: Duration = patience) throws -> JSONValue {
        guard let line = try line(within: limit) else {
            throw Failure(description: "the server ended the connection; before it \(pushed)")
        }
        return try RawJSON(parsing: line).value
    }

    /// Every frame to the end of the connection.
    func rest(within limit: Duration = patience) throws -> [JSONValue] {
        var frames: [JSONValue] = []
        let deadline = ContinuousClock.now + limit
        while let line = try line(within: deadline - .now) {
            frames.append(try RawJSON(parsing: line).value)
        }
        return frames
    }

    /// Sends a request under an id of its own and returns the answer; others are kept in `pushed`.
    func ask(_ request: JSONValue, within limit: Duration = patience) throws -> JSONValue {
        lastID += 1
        var request = request.object ?? [:]
        request["id"] = .int(lastID)
        try send(.object(request))
        return try reply(.int(lastID), within: limit)
    }

    /// The answer to a request.
    func reply(_ id: JSONValue, within limit: Duration = patience) throws -> JSONValue {
        let deadline = ContinuousClock.now + limit
        while true {
            let frame = try frame(within: deadline - .now)
            if frame["id"] == id { return frame }
            pushed.append(frame)
        }
    }

    /// The next frame that fits, among those pushed before and those to come.
    func push(
        within limit: Duration = patience, where fits: (JSONValue) -> Bool
    ) throws -> JSONValue {
        if let index = pushed.firstIndex(where: fits) { return pushed.remove(at: index) }
        let deadline = ContinuousClock.now + limit
        while true {
            let frame = try frame(within: deadline - .now)
            if fits(frame) { return frame }
            pushed.append(frame)
        }
    }

    /// Takes out the frames kept for later that fit.
    func takePushed(where fits: (JSONValue) -> Bool) -> [JSONValue] {
        defer { pushed.removeAll(where: fits) }
        return pushed.filter(fits)
    }

    func dispatch(
        _ type: String, _ payload: JSONValue? = nil, store: String = "counter",
        with more: JSONObject = [:]
    ) throws -> JSONValue {
        var action: JSONObject = ["type": .string(type)]
        action["payload"] = payload
        var frame = more
        frame["op"] = "dispatch"
        frame["store"] = .string(store)
        frame["action"] = .object(action)
        return try ask(.object(frame))
    }

    /// The present state of a store at a path.
    func state(_ store: String, _ path: String = "") throws -> JSONValue {
        let reply = try ask(["op": "get", "store": .string(store), "path": .string(path)])
        guard let state = reply["state"] else {
            throw Failure(description: "no state of \(store) but \(reply)")
        }
        return state
    }

    // MARK: The end

    /// Ends our sending half.
    func finish() { shutdown(descriptor, Int32(SHUT_WR)) }

    func close() {
        if descriptor >= 0 { Foundation.close(descriptor) }
        descriptor = -1
    }

    /// Closes with a reset.
    func reset() {
        Sockets.closeByReset(descriptor)
        descriptor = -1
    }
}

extension JSONValue {
    var op: String? { self["op"]?.string }
    var code: String? { self["code"]?.string }
}
