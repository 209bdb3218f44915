import RexLoop

/// Counts the frames in what a server sends, without reading them: lines, or the frames of a
/// WebSocket after the head that answers its handshake.
struct ReplyCounter {
    private let overWebSocket: Bool
    /// The handshake is answered; lines have none.
    private(set) var isOpen: Bool
    /// How much of the empty line at a head's end has come.
    private var ending = 0
    /// The beginning of a frame's head that is not whole.
    private var head: [UInt8] = []
    /// Bytes of the present frame's payload that have not come.
    private var left = 0

    init(overWebSocket: Bool) {
        self.overWebSocket = overWebSocket
        isOpen = !overWebSocket
    }

    /// The number of frames that end in these bytes.
    mutating func count(_ bytes: UnsafeRawBufferPointer) -> Int {
        guard overWebSocket else { return bytes.count(of: UInt8(ascii: "\n")) }
        var index = isOpen ? 0 : skipHead(bytes)
        var frames = 0
        while index < bytes.count {
            if left > 0 {
                let step = min(left, bytes.count - index)
                left -= step
                index += step
            } else if let end = endOfShort(at: index, in: bytes) {
                frames += 1
                index = end
                continue
            } else {
                head.append(bytes[index])
                index += 1
                guard let length = payloadLength else { continue }
                head.removeAll(keepingCapacity: true)
                left = length
            }
            if left == 0, head.isEmpty { frames += 1 }
        }
        return frames
    }

    /// Where a frame ends that has up to 125 bytes and lies whole in what came; nil for others. A
    /// load generator that takes long over each reply measures itself.
    private func endOfShort(at index: Int, in bytes: UnsafeRawBufferPointer) -> Int? {
        guard head.isEmpty, index + 1 < bytes.count else { return nil }
        let length = Int(bytes[index + 1])
        let end = index + 2 + length
        return length < 126 && end <= bytes.count ? end : nil
    }

    /// Where the frames begin.
    private mutating func skipHead(_ bytes: UnsafeRawBufferPointer) -> Int {
        for (index, byte) in bytes.enumerated() {
            let expected: UInt8 = ending & 1 == 0 ? 13 : 10
            ending = byte == expected ? ending + 1 : byte == 13 ? 1 : 0
            guard ending == 4 else { continue }
            isOpen = true
            return index + 1
        }
        return bytes.count
    }

    /// The length in the head (RFC 6455 §5.2); nil while the head is not whole.
    private var payloadLength: Int? {
        guard head.count >= 2 else { return nil }
        let short = Int(head[1] & 0x7F)
        let more = short == 126 ? 2 : short == 127 ? 8 : 0
        guard more > 0 else { return short }
        guard head.count == 2 + more else { return nil }
        return head[2...].reduce(0) { $0 << 8 | Int($1) }
    }
}
