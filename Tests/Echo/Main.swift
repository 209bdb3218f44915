import RexLoop
import RexWebSocket

/// `websocket-echo PORT`: sends every message back. What a suite of WebSocket cases drives, so that
/// the framing that the programs are built on is what is judged.
@main struct WebSocketEcho {
    static func main() throws {
        let loop = Loop()
        let port = CommandLine.arguments.dropFirst().first ?? "0"
        var clients: [ObjectIdentifier: EchoClient] = [:]
        let listener = try Listener(Endpoint(parsing: "127.0.0.1:\(port)"), on: loop) { socket in
            let client = EchoClient(socket) { clients[$0] = nil }
            clients[ObjectIdentifier(client)] = client
            socket.owner = client
            socket.startReading()
        }
        _ = try? StandardStreams.writeOutput(Array("ready on \(listener.endpoint)\n".utf8))
        loop.run()
    }
}

/// One connection: a handshake, then messages.
final class EchoClient: SocketOwner {
    /// Bytes of a message.
    private static let limit = 64 << 20

    private let socket: Socket
    private let didEnd: (ObjectIdentifier) -> Void
    private var head: [UInt8] = []
    private var framer: WebSocketFramer?
    private var compresses = false
    private var waiting: [UInt8] = []
    private var isFinished = false

    init(_ socket: Socket, didEnd: @escaping (ObjectIdentifier) -> Void) {
        self.socket = socket
        self.didEnd = didEnd
    }

    func socket(_ socket: Socket, didRead bytes: UnsafeRawBufferPointer) {
        if let framer {
            take(bytes, framer)
        } else {
            head += bytes
            shakeHands()
        }
        flush()
    }

    private func shakeHands() {
        guard let end = head.indices.first(where: { head[$0...].starts(with: [13, 10, 13, 10]) })
        else { return }
        var fields: [String: String] = [:]
        for line in String(decoding: head[..<end], as: UTF8.self).split(separator: "\r\n") {
            let sides = line.split(separator: ":", maxSplits: 1)
            guard sides.count == 2 else { continue }
            fields[sides[0].lowercased()] = String(sides[1].drop { $0 == " " })
        }
        var answer =
            "HTTP/1.1 101 Switching Protocols\r\nServer: rex\r\nUpgrade: websocket\r\n"
            + "Connection: Upgrade\r\nSec-WebSocket-Accept: "
            + WebSocketHandshake.accept(fields["sec-websocket-key"] ?? "") + "\r\n"
        let offer = fields["sec-websocket-extensions"] ?? ""
        let compression = WebSocketHandshake.compression(offered: offer)
        if let compression {
            answer += "Sec-WebSocket-Extensions: \(compression.answer)\r\n"
            compresses = compression.compresses
        }
        waiting += (answer + "\r\n").utf8
        let framer = WebSocketFramer(
            role: .server, limit: Self.limit, inflates: compression != nil)
        self.framer = framer
        head[(end + 4)...].withUnsafeBytes { take($0, framer) }
        head = []
    }

    private func take(_ bytes: UnsafeRawBufferPointer, _ framer: WebSocketFramer) {
        framer.take(bytes) { event in
            switch event {
            case .text(let text): waiting += message(text)
            case .binary(let bytes): waiting += framer.binary(Array(bytes))
            case .send(let bytes): waiting += bytes
            case .close: isFinished = true
            case .failure(let code, let reason):
                waiting += framer.close(code, reason)
                isFinished = true
            }
            return true
        }
    }

    private func message(_ text: UnsafeRawBufferPointer) -> [UInt8] {
        let small = compresses ? MessageDeflate.deflate(text) : nil
        var bytes = [UInt8](repeating: 0, count: WebSocketHead.room)
        if let small { bytes += small } else { bytes += text }
        WebSocketHead.end(&bytes, from: 0, isCompressed: small != nil)
        return bytes
    }

    private func flush() {
        guard !socket.isDraining, !socket.isClosing else { return }
        if !waiting.isEmpty {
            socket.writeLater([Chunk(waiting)], offset: 0)
            waiting = []
        } else if isFinished {
            socket.finish()
        }
    }

    func socketDidDrain(_ socket: Socket) { flush() }
    func socketDidEnd(_ socket: Socket) { socket.close() }
    func socketDidClose(_ socket: Socket, error: LoopError?) { didEnd(ObjectIdentifier(self)) }
}
