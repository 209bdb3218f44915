import CWslay

/// Bytes of a WebSocket into messages and back (RFC 6455), for either side. libwslay reads the
/// frames: heads, lengths, masks. What a frame means among others is decided here: fragments,
/// control frames between them, UTF-8 across them, sizes, the closing handshake.
///
/// It holds no socket: bytes in, events out. At most one message of `limit` bytes is held, a
/// control frame, and what a reader that was told to stop had not looked at.
public final class WebSocketFramer {
    /// Which side this is: a client masks what it sends, a server must not.
    public enum Role: Sendable { case server, client }

    /// What came, in order.
    public enum Event {
        /// A whole text message, valid UTF-8. Good during the call only.
        case text(UnsafeRawBufferPointer)
        /// A whole binary message. Good during the call only.
        case binary(UnsafeRawBufferPointer)
        /// Bytes that must be sent now: the answer to a ping or to a close.
        case send([UInt8])
        /// The other side closes, and is answered. Nothing follows.
        case close(code: Int?)
        /// The other side broke a rule. Nothing follows; `close(code, reason)` tells it.
        case failure(code: Int, reason: String)
    }

    private let role: Role
    private let limit: Int
    private let inflates: Bool
    private var context: wslay_frame_context_ptr!
    private var input = UnsafeRawBufferPointer(start: nil, count: 0)
    /// What arrived after the receiver wanted no more.
    private var held: [UInt8] = []

    /// Bytes of the present frame that have not come; nil between frames.
    private var frameLeft: UInt64?
    private var head = PendingHead()
    private var control: [UInt8] = []
    /// The opcode of the message under way, whose parts are in `message`.
    private var opcode: UInt32?
    private var message: [UInt8] = []
    private var isCompressed = false
    private var utf8 = UTF8Check()

    private var hasSentClose = false
    private var isEnded = false

    /// Makes one for a connection whose handshake is done.
    ///
    /// - Parameters:
    ///   - limit: bytes of a message, as sent and inflated. Over it: a failure with 1009.
    ///   - inflates: permessage-deflate without context takeover was agreed on (RFC 7692).
    public init(role: Role, limit: Int, inflates: Bool = false) {
        self.role = role
        self.limit = limit
        self.inflates = inflates
        var callbacks = wslay_frame_callbacks()
        callbacks.recv_callback = { buffer, length, _, data in
            let framer = Unmanaged<WebSocketFramer>.fromOpaque(data!).takeUnretainedValue()
            return framer.read(into: buffer!, length)
        }
        let status = wslay_frame_context_init(
            &context, &callbacks, Unmanaged.passUnretained(self).toOpaque())
        precondition(status == 0, "no memory for a WebSocket")
    }

    deinit { wslay_frame_context_free(context) }

    /// The other side has closed or broken a rule: what still comes is not looked at.
    public var hasEnded: Bool { isEnded }

    // MARK: Reading

    /// Takes bytes and hands on what they make whole. `body` answers whether it wants more now:
    /// after a `false` the rest is kept, and a call with no bytes goes on.
    public func take(_ bytes: UnsafeRawBufferPointer, _ body: (Event) -> Bool) {
        if held.isEmpty {
            run(bytes, body)
        } else {
            var whole: [UInt8] = []
            swap(&whole, &held)
            whole.append(contentsOf: bytes)
            whole.withUnsafeBytes { run($0, body) }
        }
    }

    private func run(_ bytes: UnsafeRawBufferPointer, _ body: (Event) -> Bool) {
        input = bytes
        defer { input = UnsafeRawBufferPointer(start: nil, count: 0) }
        var wantsMore = true
        while wantsMore, !isEnded {
            var frame = wslay_frame_iocb()
            let count = wslay_frame_recv(context, &frame)
            if count >= 0 {
                wantsMore = didRead(frame, body)
            } else if count != Int(WSLAY_ERR_WANT_READ.rawValue) {
                fail(1002, "a frame's head is malformed", body)
            } else if input.isEmpty {
                break
            }
        }
        guard !isEnded else { return }
        head.keepEnd(of: UnsafeRawBufferPointer(rebasing: bytes[..<(bytes.count - input.count)]))
        held.append(contentsOf: input)
        if wantsMore, frameLeft == nil, let begun = head.frame, let fault = fault(of: begun) {
            fail(fault.code, fault.reason, body)
        }
    }

    private func read(into buffer: UnsafeMutablePointer<UInt8>, _ length: Int) -> Int {
        let count = min(length, input.count)
        guard count > 0 else { return -1 }
        buffer.update(
            from: input.baseAddress!.assumingMemoryBound(to: UInt8.self), count: count)
        input = UnsafeRawBufferPointer(rebasing: input[count...])
        head.didTake(count)
        return count
    }

    /// Takes a part of a frame, which may be the whole.
    private func didRead(_ frame: wslay_frame_iocb, _ body: (Event) -> Bool) -> Bool {
        let isStart = frameLeft == nil
        if isStart, let fault = fault(of: frame) {
            fail(fault.code, fault.reason, body)
            return false
        }
        head.didRead(frame, isStart: isStart)
        if isStart, Self.beginsMessage(UInt32(frame.opcode)) {
            opcode = UInt32(frame.opcode)
            isCompressed = frame.rsv != 0
        }
        let left = (frameLeft ?? frame.payload_length) - UInt64(frame.data_length)
        frameLeft = left == 0 ? nil : left
        let part = UnsafeRawBufferPointer(start: frame.data, count: frame.data_length)
        if frame.opcode & 0x8 != 0 {
            control.append(contentsOf: part)
            return left > 0 || didReadControl(UInt32(frame.opcode), body)
        }
        let isAlone = isStart && left == 0 && frame.fin != 0 && message.isEmpty
        guard isAlone, frame.opcode != 0 else { return addPart(part, frame, left, body) }
        defer { opcode = nil }
        return didReadMessage(part, isChecked: false, body)
    }

    /// What is wrong with a frame, as far as its head says.
    private func fault(of frame: wslay_frame_iocb) -> (code: Int, reason: String)? {
        let opcode = UInt32(frame.opcode)
        guard (frame.mask != 0) == (role == .server) else {
            return (1002, role == .server ? "a frame is not masked" : "a frame is masked")
        }
        let isFirst = Self.beginsMessage(opcode)
        let allowed = inflates && isFirst ? Self.compressed : 0
        guard frame.rsv & ~allowed == 0 else { return (1002, "a reserved bit is set") }
        switch opcode {
        case WSLAY_CONNECTION_CLOSE.rawValue, WSLAY_PING.rawValue, WSLAY_PONG.rawValue: return nil
        case WSLAY_CONTINUATION_FRAME.rawValue where self.opcode == nil:
            return (1002, "a message begins with a continuation")
        case WSLAY_CONTINUATION_FRAME.rawValue: break
        case _ where !isFirst: return (1002, "a reserved opcode")
        case _ where self.opcode != nil: return (1002, "a message begins within another")
        default: break
        }
        guard frame.payload_length <= UInt64(limit - message.count) else {
            return (1009, "a message may have \(limit) bytes")
        }
        return nil
    }

    private static func beginsMessage(_ opcode: UInt32) -> Bool {
        opcode == WSLAY_TEXT_FRAME.rawValue || opcode == WSLAY_BINARY_FRAME.rawValue
    }

    /// RSV1: the message is compressed.
    private static let compressed: UInt8 = 1 << 2

    /// Adds to a message that comes in several parts.
    private func addPart(
        _ part: UnsafeRawBufferPointer, _ frame: wslay_frame_iocb, _ left: UInt64,
        _ body: (Event) -> Bool
    ) -> Bool {
        message.append(contentsOf: part)
        if opcode == WSLAY_TEXT_FRAME.rawValue, !isCompressed, !utf8.feed(part) {
            fail(1007, "not UTF-8", body)
            return false
        }
        guard left == 0, frame.fin != 0 else { return true }
        var whole: [UInt8] = []
        swap(&whole, &message)
        defer { opcode = nil }
        return whole.withUnsafeBytes { didReadMessage($0, isChecked: true, body) }
    }

    /// Hands on a message.
    ///
    /// - Parameter isChecked: its UTF-8 was looked at as it came, but for its end.
    private func didReadMessage(
        _ bytes: UnsafeRawBufferPointer, isChecked: Bool, _ body: (Event) -> Bool
    ) -> Bool {
        // Who has said goodbye waits for the answer and for nothing else.
        if hasSentClose { return true }
        guard isCompressed else { return handOn(bytes, isChecked: isChecked, body) }
        switch MessageDeflate.inflate(bytes, limit: limit) {
        case .bytes(let inflated):
            return inflated.withUnsafeBytes { handOn($0, isChecked: false, body) }
        case .tooLarge: fail(1009, "a message may have \(limit) bytes", body)
        case .malformed: fail(1007, "a message cannot be inflated", body)
        }
        return false
    }

    private func handOn(
        _ bytes: UnsafeRawBufferPointer, isChecked: Bool, _ body: (Event) -> Bool
    ) -> Bool {
        guard opcode == WSLAY_TEXT_FRAME.rawValue else { return body(.binary(bytes)) }
        let isText = (isChecked || utf8.feed(bytes)) && utf8.isWhole
        utf8 = UTF8Check()
        guard isText else {
            fail(1007, "not UTF-8", body)
            return false
        }
        return body(.text(bytes))
    }

    // MARK: Control frames

    private func didReadControl(_ opcode: UInt32, _ body: (Event) -> Bool) -> Bool {
        defer { control.removeAll(keepingCapacity: true) }
        switch opcode {
        case WSLAY_PING.rawValue:
            return hasSentClose || body(.send(frame(WSLAY_PONG.rawValue, control)))
        case WSLAY_CONNECTION_CLOSE.rawValue:
            didReadClose(body)
            return false
        default: return true
        }
    }

    private func didReadClose(_ body: (Event) -> Bool) {
        guard control.count >= 2 else {
            guard control.isEmpty else { return fail(1002, "half a close code", body) }
            return end(nil, body)
        }
        let code = Int(control[0]) << 8 | Int(control[1])
        guard Self.mayBeSent(code) else { return fail(1002, "\(code) is no close code", body) }
        var check = UTF8Check()
        let isText = control.dropFirst(2).withUnsafeBytes { check.feed($0) } && check.isWhole
        guard isText else { return fail(1007, "a reason that is not UTF-8", body) }
        end(code, body)
    }

    /// The codes that an endpoint may send (RFC 6455 §7.4 and the registry): not those that only
    /// describe how a connection ended.
    private static func mayBeSent(_ code: Int) -> Bool {
        switch code {
        case 1000...1003, 1007...1014, 3000...4999: true
        default: false
        }
    }

    private func end(_ code: Int?, _ body: (Event) -> Bool) {
        isEnded = true
        if !hasSentClose { _ = body(.send(closeFrame(code, ""))) }
        _ = body(.close(code: code))
    }

    private func fail(_ code: Int, _ reason: String, _ body: (Event) -> Bool) {
        isEnded = true
        message = []
        _ = body(.failure(code: code, reason: reason))
    }

    // MARK: Writing

    /// The frame that begins the closing handshake or ends the connection; empty the second time.
    public func close(_ code: Int, _ reason: String) -> [UInt8] {
        hasSentClose ? [] : closeFrame(code, reason)
    }

    private func closeFrame(_ code: Int?, _ reason: String) -> [UInt8] {
        hasSentClose = true
        guard let code else { return frame(WSLAY_CONNECTION_CLOSE.rawValue, []) }
        var payload = [UInt8(code >> 8 & 0xFF), UInt8(code & 0xFF)]
        // A control frame has 125 bytes; a reason is cut between two characters.
        for character in reason {
            guard payload.count + character.utf8.count <= 125 else { break }
            payload += character.utf8
        }
        return frame(WSLAY_CONNECTION_CLOSE.rawValue, payload)
    }

    /// A text message in one frame, not compressed.
    public func text(_ payload: [UInt8]) -> [UInt8] { frame(WSLAY_TEXT_FRAME.rawValue, payload) }

    /// A binary message in one frame, not compressed.
    public func binary(_ payload: [UInt8]) -> [UInt8] {
        frame(WSLAY_BINARY_FRAME.rawValue, payload)
    }

    /// A ping without content.
    public func ping() -> [UInt8] { frame(WSLAY_PING.rawValue, []) }

    private func frame(_ opcode: UInt32, _ payload: [UInt8]) -> [UInt8] {
        guard role == .client else {
            return WebSocketHead.bytes(0x80 | opcode, payload.count) + payload
        }
        return WebSocketHead.masked(0x80 | opcode, payload, by: UInt32.random(in: 0 ... .max))
    }
}
