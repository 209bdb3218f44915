/// Bytes into requests, cut anywhere. It holds no socket.
final class HTTPReader {
    /// Why no request can be read any more: the status to answer with.
    struct Failure: Error, Equatable {
        let status: Int
        let message: String

        init(_ status: Int, _ message: String) {
            self.status = status
            self.message = message
        }
    }

    private let bodyLimit: Int
    /// What arrived; the first `start` bytes are read.
    private var held: [UInt8] = []
    private var start = 0
    /// Bytes of the head under way that were looked at already.
    private var seen = 0
    private var head: HTTPHead?
    private var chunks: ChunkedBody?
    /// A client waits to be told to send its body; the one who reads this says so, once.
    private(set) var mustContinue = false

    /// - Parameter bodyLimit: bytes of a body. Over it: 413.
    init(bodyLimit: Int) { self.bodyLimit = bodyLimit }

    /// Adds what arrived. What is held is bounded by the head's and the body's limits and one read.
    func append(_ bytes: UnsafeRawBufferPointer) {
        if start == held.count {
            held.removeAll(keepingCapacity: held.capacity <= Self.keptBytes)
            start = 0
        } else if start > Self.keptBytes {
            held.removeFirst(start)
            start = 0
        }
        held.append(contentsOf: bytes)
    }

    private static let keptBytes = 65_536

    /// What was not read as a request: the beginning of another protocol after an upgrade.
    func takeRest() -> [UInt8] {
        defer { (held, start) = ([], 0) }
        return Array(held[start...])
    }

    /// A request has begun and is not whole.
    var isReading: Bool { head != nil || start < held.count }

    /// The client was told to go on.
    func didContinue() { mustContinue = false }

    /// The next request, or nil while it is not whole.
    func next() throws(Failure) -> HTTPRequest? {
        if head == nil {
            // Blank lines before a request are ignored (RFC 9112 §2.2).
            while seen == 0, held[start...].starts(with: [13, 10]) { start += 2 }
            guard let end = try HTTPHead.end(in: held[start...], seen: seen) else {
                // Half a blank line may yet become one.
                seen = held[start...].elementsEqual([13]) ? 0 : held.count - start
                return nil
            }
            seen = 0
            try begin(HTTPHead(held[start..<end]))
            start = end
        }
        guard let head, let body = try takeBody(of: head) else {
            mustContinue = mustContinue && start == held.count
            return nil
        }
        self.head = nil
        mustContinue = false
        var request = head.request
        request.body = body
        return request
    }

    private func begin(_ head: HTTPHead) throws(Failure) {
        switch head.body {
        case .none: break
        case .length(let count):
            guard count <= bodyLimit else { throw tooLarge }
            mustContinue = head.wantsContinue
        case .chunked:
            chunks = ChunkedBody(limit: bodyLimit)
            mustContinue = head.wantsContinue
        }
        self.head = head
    }

    private var tooLarge: Failure { Failure(413, "a body may have \(bodyLimit) bytes") }

    private func takeBody(of head: HTTPHead) throws(Failure) -> [UInt8]? {
        switch head.body {
        case .none: return []
        case .length(let count):
            guard held.count - start >= count else { return nil }
            defer { start += count }
            return Array(held[start..<(start + count)])
        case .chunked:
            start += try chunks!.take(held[start...])
            guard chunks!.isWhole else { return nil }
            defer { chunks = nil }
            return chunks!.bytes
        }
    }
}
