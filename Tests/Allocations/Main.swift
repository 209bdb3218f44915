import AllocationCounter
import Foundation
import Rex
import RexExamples
import RexServer

/// `rex-allocations`: how often the server asks for memory for one action, and for one frame that
/// it delivers. A server of this process serves sockets of this process, whose side asks for none.
///
///     rex-allocations [CEILINGS]
///
/// Prints a line for each kind: its name, and allocations with two decimals. With a file of
/// ceilings it fails where one is passed, and where one could be lower: a ceiling only goes down.
@main struct Allocations {
    static func main() async throws {
        let ceilings = try CommandLine.arguments.dropFirst().first.map(Ceilings.init)
        let server = Server()
        try await server.host("counter", CounterReducer(), initialState: CounterState())
        try await server.host("doc", DocumentReducer(), initialState: DocumentState())
        let endpoint = try await server.listen(on: "127.0.0.1:0")
        let port = UInt16("\(endpoint)".split(separator: ":").last ?? "") ?? 0

        var counts: [(name: String, value: Double)] = []
        func show(_ name: String, _ value: Double) {
            counts.append((name, value))
            print(name, String(format: "%.2f", value))
        }
        show(
            "action",
            Probe(port).allocations(
                #"{"op":"dispatch","id":1,"store":"counter","action":{"type":"add","payload":1}}"#))
        show("ping", Probe(port).allocations(#"{"op":"ping","id":1}"#))
        let watcher = Probe(port)
        watcher.ask(#"{"op":"subscribe","id":1,"store":"doc"}"#)
        let set =
            #"{"op":"dispatch","id":1,"store":"doc","action":"#
            + #"{"type":"increment","payload":{"path":"/n","by":1}}}"#
        show("watched-action", Probe(port).allocations(set, readAlso: watcher))
        let listeners = (0..<200).map { _ in Probe(port) }
        for listener in listeners { listener.ask(#"{"op":"listen","id":1,"topic":"t"}"#) }
        let event = #"{"op":"publish","id":1,"topic":"t","data":{"n":1}}"#
        show("delivery", Probe(port).allocations(event, window: 1, to: listeners))
        let objections = counts.compactMap { ceilings?.objection(to: $0.value, of: $0.name) }
        for objection in objections { print(objection) }
        exit(objections.isEmpty ? 0 : 1)
    }
}

/// The file of ceilings: a name, the allocations of an optimized build and those of a debug build.
private struct Ceilings {
    #if DEBUG
        private static let column = 2
    #else
        private static let column = 1
    #endif
    /// What a ceiling may be above what is counted, for the growth of tables that happens now and
    /// then.
    private static let slack = 0.5

    private var bounds: [String: Double] = [:]

    init(_ file: String) throws {
        for line in try String(contentsOfFile: file, encoding: .utf8).split(separator: "\n") {
            let words = line.split(separator: " ")
            guard words.count > Self.column, words[0] != "#" else { continue }
            bounds[String(words[0])] = Double(words[Self.column])
        }
    }

    func objection(to value: Double, of name: String) -> String? {
        guard let bound = bounds[name] else { return "\(name): no ceiling" }
        if value > bound { return "\(name): \(value) allocations, at most \(bound)" }
        if value < bound - Self.slack * max(1, bound / 10) {
            return "\(name): \(value) allocations; lower its ceiling of \(bound)"
        }
        return nil
    }
}

/// A blocking socket that asks for no memory once it is made.
final class Probe {
    private let descriptor: Int32
    private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 20, alignment: 16)

    /// Frames before anything counts, and frames that count, in so many parts.
    private static let warmUp = 2_048
    private static let counted = 8_192
    private static let parts = 4

    init(_ port: UInt16) {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        let status = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        precondition(status == 0, "cannot connect to port \(port)")
        var patience = timeval(tv_sec: 30, tv_usec: 0)
        setsockopt(
            descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience,
            socklen_t(MemoryLayout<timeval>.size))
    }

    func ask(_ line: String) {
        send(Array((line + "\n").utf8))
        read(lines: 1)
    }

    /// Allocations for each of many requests, `window` of them in one packet.
    func allocations(
        _ line: String, window: Int = 64, readAlso watcher: Probe? = nil, to listeners: [Probe] = []
    ) -> Double {
        let batch = Array(String(repeating: line + "\n", count: window).utf8)
        let share = max(1, listeners.count)
        func round() {
            send(batch)
            read(lines: window)
            watcher?.read(lines: 1)
            for listener in listeners { listener.read(lines: window) }
        }
        for _ in 0..<Self.warmUp / window / share { round() }
        let rounds = max(1, Self.counted / Self.parts / window / share)
        // The part with the fewest: on a busy machine what is sent at once comes in two turns now
        // and then, which asks for more.
        let counts = (0..<Self.parts).map { _ in
            let before = rex_allocations()
            for _ in 0..<rounds { round() }
            return rex_allocations() - before
        }
        return Double(counts.min() ?? 0) / Double(rounds * window * share)
    }

    private func send(_ bytes: [UInt8]) {
        var sent = 0
        bytes.withUnsafeBytes { bytes in
            while sent < bytes.count {
                let count = Foundation.send(
                    descriptor, bytes.baseAddress! + sent, bytes.count - sent, 0)
                precondition(count > 0, "the server takes nothing")
                sent += count
            }
        }
    }

    /// Reads until at least so many lines have come.
    private func read(lines: Int) {
        var seen = 0
        while seen < lines {
            let count = recv(descriptor, buffer.baseAddress, buffer.count, 0)
            precondition(count > 0, "nothing came from the server")
            for byte in buffer[..<count] where byte == UInt8(ascii: "\n") { seen += 1 }
        }
    }
}
