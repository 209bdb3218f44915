import CWslay

/// Bytes of a WebSocket into messages (RFC 6455), by libwslay: masks, fragments, control frames,
/// lengths, UTF-8 across fragments. It answers pings and closes by itself; what it wants to send
/// comes out of `takeOutput`.
///
/// It holds no socket: bytes in, messages and bytes out.
final class WebSocketFramer {
    /// A whole message, or the end.
    enum Message {
        case text(UnsafeRawBufferPointer)
        case binary
        /// The other side closes, or what it sent is against the protocol. The answer is in the
        /// output already.
        case close(code: Int)
    }

    private var context: wslay_event_context_ptr!
    private var input = UnsafeRawBufferPointer(start: nil, count: 0)
    private var output: [UInt8] = []
    private var receive: ((Message) -> Void)?
    private let deflate: MessageDeflate?
    private let limit: Int
    /// The close code with which this side ends, where a message broke a rule of ours.
    private var refusal: (code: UInt16, reason: String)?

    /// - Parameters:
    ///   - limit: bytes of a message, inflated. Over it the connection ends with 1009.
    ///   - deflate: permessage-deflate was negotiated (RFC 7692).
    init(limit: Int, deflate: Bool) {
        self.limit = limit
        self.deflate = deflate ? MessageDeflate() : nil
        var callbacks = wslay_event_callbacks()
        callbacks.recv_callback = { context, buffer, length, _, data in
            WebSocketFramer.of(data).read(into: buffer!, length, context!)
        }
        callbacks.send_callback = { _, bytes, length, _, data in
            WebSocketFramer.of(data).output.append(
                contentsOf: UnsafeBufferPointer(start: bytes, count: length))
            return length
        }
        callbacks.on_msg_recv_callback = { _, message, data in
            WebSocketFramer.of(data).didReceive(message!.pointee)
        }
        let status = wslay_event_context_server_init(
            &context, &callbacks, Unmanaged.passUnretained(self).toOpaque())
        precondition(status == 0, "no memory for a WebSocket")
        wslay_event_config_set_max_recv_msg_length(context, UInt64(limit))
        if deflate { wslay_event_config_set_allowed_rsv_bits(context, Self.compressed) }
    }

    /// RSV1: the message is compressed.
    private static let compressed: UInt8 = 1 << 2

    deinit { wslay_event_context_free(context) }

    private static func of(_ data: UnsafeMutableRawPointer?) -> WebSocketFramer {
        Unmanaged<WebSocketFramer>.fromOpaque(data!).takeUnretainedValue()
    }

    /// Takes bytes and hands on each message that is whole.
    func take(_ bytes: UnsafeRawBufferPointer, _ body: (Message) -> Void) {
        withoutActuallyEscaping(body) { body in
            input = bytes
            receive = body
            defer {
                receive = nil
                input = UnsafeRawBufferPointer(start: nil, count: 0)
            }
            let status = wslay_event_recv(context)
            if status != 0, status != WSLAY_ERR_CALLBACK_FAILURE.rawValue {
                queueClose(1011, "the message cannot be taken")
            }
            if let refusal { queueClose(refusal.code, refusal.reason) }
            wslay_event_send(context)
            // libwslay has queued the close itself where the protocol was broken.
            if refusal != nil || wslay_event_get_close_sent(context) != 0,
                wslay_event_get_close_received(context) == 0
            {
                body(.close(code: Int(wslay_event_get_status_code_sent(context))))
            }
        }
    }

    /// What is to be sent besides the frames of the server: pongs and close frames.
    func takeOutput() -> [UInt8] {
        defer { output = [] }
        return output
    }

    /// Begins the closing handshake.
    func close(_ code: Int, _ reason: String) {
        queueClose(UInt16(code), reason)
        wslay_event_send(context)
    }

    private func queueClose(_ code: UInt16, _ reason: String) {
        // The payload of a control frame has 125 bytes, two of them the code.
        let text = Array(reason.utf8.prefix(120))
        wslay_event_queue_close(context, code, text, text.count)
        wslay_event_shutdown_read(context)
    }

    private func read(
        into buffer: UnsafeMutablePointer<UInt8>, _ length: Int, _ context: wslay_event_context_ptr
    ) -> Int {
        guard !input.isEmpty, refusal == nil else {
            wslay_event_set_error(context, Int32(WSLAY_ERR_WOULDBLOCK.rawValue))
            return -1
        }
        let count = min(length, input.count)
        UnsafeMutableRawBufferPointer(start: buffer, count: count)
            .copyMemory(from: UnsafeRawBufferPointer(rebasing: input[..<count]))
        input = UnsafeRawBufferPointer(rebasing: input[count...])
        return count
    }

    private func didReceive(_ message: wslay_event_on_msg_recv_arg) {
        let bytes = UnsafeRawBufferPointer(start: message.msg, count: message.msg_length)
        switch UInt32(message.opcode) {
        case WSLAY_TEXT_FRAME.rawValue:
            guard message.rsv & Self.compressed != 0, let deflate else {
                receive?(.text(bytes))
                return
            }
            inflate(bytes, by: deflate)
        case WSLAY_BINARY_FRAME.rawValue:
            refusal = (1003, "frames are text")
            receive?(.binary)
        case WSLAY_CONNECTION_CLOSE.rawValue: receive?(.close(code: Int(message.status_code)))
        default: break
        }
    }

    private func inflate(_ bytes: UnsafeRawBufferPointer, by deflate: MessageDeflate) {
        switch deflate.inflate(bytes, limit: limit) {
        case .bytes(let text):
            // libwslay leaves UTF-8 in compressed messages to whoever inflates them.
            guard String(validating: text, as: UTF8.self) != nil else {
                refusal = (1007, "not UTF-8")
                return
            }
            text.withUnsafeBytes { receive?(.text($0)) }
        case .tooLarge: refusal = (1009, "a message may have \(limit) bytes")
        case .malformed: refusal = (1007, "the message cannot be inflated")
        }
    }
}

/// The head of a text message of the server: not masked, one frame (RFC 6455 §5.2).
enum WebSocketHead {
    /// Puts the head in front of the payload that begins at `start` and ends the bytes.
    static func insert(into bytes: inout [UInt8], at start: Int, isCompressed: Bool = false) {
        let count = bytes.count - start
        var head: [UInt8] = [isCompressed ? 0xC1 : 0x81]
        if count < 126 {
            head.append(UInt8(count))
        } else if count < 65_536 {
            head += [126, UInt8(count >> 8), UInt8(count & 0xFF)]
        } else {
            head.append(127)
            for shift in stride(from: 56, through: 0, by: -8) {
                head.append(UInt8(truncatingIfNeeded: count >> shift))
            }
        }
        bytes.insert(contentsOf: head, at: start)
    }
}
