import CWslay

/// The head of a frame that has begun, as far as it has come. libwslay keeps a head to itself until
/// a byte of the payload is there; what is wrong with it is known before, so that a length over the
/// limit is refused at once.
struct PendingHead {
    /// The longest head: two bytes, eight of the length, four of the mask.
    static let mostBytes = 14

    /// Bytes that libwslay took and that belong to no frame which it has handed out.
    private var unread = 0
    /// The last of all bytes that it took; as many as `unread`, where these are few.
    private var tail: [UInt8] = []

    /// libwslay took bytes.
    mutating func didTake(_ count: Int) { unread += count }

    /// It handed out a frame, or a further part of one.
    mutating func didRead(_ frame: wslay_frame_iocb, isStart: Bool) {
        unread -= frame.data_length
        guard isStart else { return }
        unread -= 2 + (frame.mask != 0 ? 4 : 0)
        if frame.payload_length > 125 { unread -= frame.payload_length > 65_535 ? 8 : 2 }
    }

    /// Keeps what may be the beginning of a head. To be called after each run, with the bytes that
    /// libwslay took in it.
    mutating func keepEnd(of taken: UnsafeRawBufferPointer) {
        guard unread > 0 else {
            if !tail.isEmpty { tail = [] }
            return
        }
        tail = (tail + taken.suffix(Self.mostBytes)).suffix(Self.mostBytes)
    }

    /// The head without its payload, as soon as its length is known; nil before. Only where
    /// libwslay waits for more, between two frames.
    var frame: wslay_frame_iocb? {
        guard (2...Self.mostBytes).contains(unread), tail.count >= unread else { return nil }
        let head = Array(tail.suffix(unread))
        var length = UInt64(head[1] & 0x7F)
        let longer = length == 126 ? 2 : length == 127 ? 8 : 0
        guard head.count >= 2 + longer else { return nil }
        if longer > 0 { length = head[2..<(2 + longer)].reduce(0) { $0 << 8 | UInt64($1) } }
        var frame = wslay_frame_iocb()
        frame.fin = head[0] >> 7
        frame.rsv = head[0] >> 4 & 7
        frame.opcode = head[0] & 0xF
        frame.mask = head[1] >> 7
        frame.payload_length = length
        return frame
    }
}
