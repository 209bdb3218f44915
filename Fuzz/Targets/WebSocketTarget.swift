import RexWebSocket

/// Frames for either side: the same events however the bytes are cut, and what one side writes the
/// other one reads.
enum WebSocketTarget {
    private enum Heard: Equatable {
        case text([UInt8])
        case binary([UInt8])
        case send([UInt8])
        case close(Int?)
        case failure(Int)
    }

    static func run(_ input: [UInt8]) throws {
        var input = FuzzInput(input)
        let flags = input.byte()
        let cut = input.byte()
        let bytes = input.take()
        let role: WebSocketFramer.Role = flags & 1 == 0 ? .server : .client
        let limit = [16, 125, 1_000, 70_000][Int(flags >> 2 & 3)]
        let (inflates, stops) = (flags & 2 != 0, flags & 16 != 0)
        func framer(_ role: WebSocketFramer.Role) -> WebSocketFramer {
            WebSocketFramer(role: role, limit: limit, inflates: inflates)
        }
        let whole = hear([bytes], framer(role), stops: false)
        let parts = hear(pieces(of: bytes, cut), framer(role), stops: stops)
        // What a client sends is masked anew each time.
        try hold(
            role == .server ? parts == whole : parts.filter(isRead) == whole.filter(isRead),
            "cut: \(parts), whole: \(whole)")
        for event in whole {
            guard case .text(let text) = event else { continue }
            try hold(text.count <= limit, "\(text.count) bytes of \(limit)")
            try hold(String(validating: text, as: UTF8.self) != nil, "no UTF-8: \(text)")
        }
        try checkWriting(bytes, framer, limit)
    }

    private static func isRead(_ event: Heard) -> Bool {
        if case .send = event { false } else { true }
    }

    private static func checkWriting(
        _ bytes: [UInt8], _ framer: (WebSocketFramer.Role) -> WebSocketFramer, _ limit: Int
    ) throws {
        let payload = Array(bytes.prefix(limit))
        for (one, other) in [
            (WebSocketFramer.Role.server, WebSocketFramer.Role.client), (.client, .server),
        ] {
            let (writer, reader) = (framer(one), framer(other))
            let written = writer.binary(payload) + writer.ping() + writer.close(1000, "done")
            let heard = hear([written], reader, stops: false).filter(isRead)
            try hold(heard == [.binary(payload), .close(1000)], "\(heard) of \(payload)")
        }
        guard let packed = bytes.withUnsafeBytes({ MessageDeflate.deflate($0) }) else { return }
        let again = packed.withUnsafeBytes { MessageDeflate.inflate($0, limit: bytes.count) }
        guard case .bytes(bytes) = again else { throw FuzzFinding(description: "\(again)") }
    }

    private static func hear(
        _ parts: [[UInt8]], _ framer: WebSocketFramer, stops: Bool
    ) -> [Heard] {
        var heard: [Heard] = []
        func take(_ event: WebSocketFramer.Event) -> Bool {
            switch event {
            case .text(let bytes): heard.append(.text(Array(bytes)))
            case .binary(let bytes): heard.append(.binary(Array(bytes)))
            case .send(let bytes): heard.append(.send(bytes))
            case .close(let code): heard.append(.close(code))
            case .failure(let code, _): heard.append(.failure(code))
            }
            return !stops
        }
        for part in parts {
            part.withUnsafeBytes { framer.take($0, take) }
            var count = -1
            while count != heard.count {
                count = heard.count
                framer.take(UnsafeRawBufferPointer(start: nil, count: 0), take)
            }
        }
        return heard
    }
}
