import CHTTPParser

/// One request of HTTP/1.1 (RFC 9112).
struct HTTPRequest {
    var method = ""
    /// The path, percent-decoded, in its segments; `/` has none.
    var segments: [String] = []
    var query: [String: String] = [:]
    /// Names in lower case. A header that came twice is one with a comma between.
    var headers: [String: String] = [:]
    var body: [UInt8] = []
    var keepsAlive = true
    var wantsUpgrade = false

    /// True where the header's comma-separated list holds the token, whatever its case.
    func lists(_ token: String, in header: String) -> Bool {
        (headers[header] ?? "").split(separator: ",").contains {
            $0.trimmingBlanks().lowercased() == token
        }
    }
}

/// Bytes into requests, by libhttp-parser, with what it leaves open closed: a bare line feed in a
/// head is refused, and so is a request with two lengths, so that nobody in between can see other
/// requests than we do.
final class HTTPReader {
    /// Why no request can be read any more: the status to answer with.
    struct Failure: Error {
        let status: Int
        let message: String
    }

    /// The longest head, request line included. Over it: 431.
    static let headBytes = 16_384

    private let parser = UnsafeMutablePointer<http_parser>.allocate(capacity: 1)
    private var settings = http_parser_settings()
    private let bodyLimit: Int
    private var held: [UInt8] = []
    private var isInBody = false
    private var request = HTTPRequest()
    private var target: [UInt8] = []
    private var field: [UInt8] = []
    private var value: [UInt8] = []
    private var isDone = false
    private var failure: Failure?

    /// - Parameter bodyLimit: bytes of a body. Over it: 413.
    init(bodyLimit: Int) {
        self.bodyLimit = bodyLimit
        http_parser_init(parser, HTTP_REQUEST)
        http_parser_settings_init(&settings)
        settings.on_url = {
            HTTPReader.of($0).target += HTTPReader.bytes($1, $2)
            return 0
        }
        settings.on_header_field = { parser, at, count in
            let reader = HTTPReader.of(parser)
            if !reader.value.isEmpty || reader.field.isEmpty { reader.endHeader() }
            reader.field += HTTPReader.bytes(at, count)
            return 0
        }
        settings.on_header_value = { parser, at, count in
            let reader = HTTPReader.of(parser)
            reader.value += HTTPReader.bytes(at, count)
            return 0
        }
        settings.on_headers_complete = { HTTPReader.of($0).didEndHead() }
        settings.on_body = { HTTPReader.of($0).didReadBody(HTTPReader.bytes($1, $2)) }
        settings.on_message_complete = { parser in
            HTTPReader.of(parser).isDone = true
            // Stop here: the next request is read when this one is answered.
            http_parser_pause(parser, 1)
            return 0
        }
        parser.pointee.data = Unmanaged.passUnretained(self).toOpaque()
    }

    deinit { parser.deallocate() }

    private static func of(_ parser: UnsafeMutablePointer<http_parser>?) -> HTTPReader {
        Unmanaged<HTTPReader>.fromOpaque(parser!.pointee.data).takeUnretainedValue()
    }

    private static func bytes(_ at: UnsafePointer<CChar>?, _ count: Int) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(start: at, count: count)
    }

    /// Adds what arrived. Bounded by the head's and the body's limits and one read.
    func append(_ bytes: UnsafeRawBufferPointer) { held.append(contentsOf: bytes) }

    /// What was not read as a request: the beginning of another protocol after an upgrade.
    func takeRest() -> [UInt8] {
        defer { held = [] }
        return held
    }

    /// A request has begun and is not whole.
    var isReading: Bool { isInBody || !held.isEmpty }

    /// The next request, or nil while it is not whole.
    func next() throws(Failure) -> HTTPRequest? {
        if !isInBody {
            // Blank lines before a request are ignored (RFC 9112 §2.2).
            while held.starts(with: [13, 10]) { held.removeFirst(2) }
            guard let end = try headEnd() else { return nil }
            reset()
            try feed(end)
            isInBody = !isDone
        }
        if isInBody, !held.isEmpty { try feed(held.count) }
        guard isDone else { return nil }
        isInBody = false
        isDone = false
        return request
    }

    /// Where the head ends, if it is whole.
    private func headEnd() throws(Failure) -> Int? {
        var previous: UInt8 = 0
        for (index, byte) in held.prefix(Self.headBytes).enumerated() {
            if byte == 10 {
                guard previous == 13 else {
                    throw Failure(status: 400, message: "a bare line feed")
                }
                if index >= 3, held[index - 2] == 10 { return index + 1 }
            } else if previous == 13 {
                throw Failure(status: 400, message: "a bare carriage return")
            }
            previous = byte
        }
        if held.count >= Self.headBytes {
            throw Failure(status: 431, message: "a head may have \(Self.headBytes) bytes")
        }
        return nil
    }

    private func reset() {
        http_parser_init(parser, HTTP_REQUEST)
        request = HTTPRequest()
        (target, field, value) = ([], [], [])
        isDone = false
        failure = nil
    }

    private func feed(_ count: Int) throws(Failure) {
        let used = held.withUnsafeBytes {
            http_parser_execute(
                parser, &settings, $0.baseAddress!.assumingMemoryBound(to: CChar.self), count)
        }
        let code = UInt32(rex_http_error(parser))
        if let failure { throw failure }
        guard code == HPE_OK.rawValue || code == HPE_PAUSED.rawValue else {
            let words = String(cString: http_errno_description(http_errno(code)))
            throw Failure(status: 400, message: words)
        }
        if code == HPE_PAUSED.rawValue { http_parser_pause(parser, 0) }
        held.removeFirst(used)
    }

    private func endHeader() {
        guard !field.isEmpty else { return }
        let name = String(decoding: field, as: UTF8.self).lowercased()
        let text = String(decoding: value, as: UTF8.self)
        if let earlier = request.headers[name] {
            // Two hosts are two opinions of who is meant.
            if name == "host" { failure = Failure(status: 400, message: "two hosts") }
            request.headers[name] = earlier + "," + text
        } else {
            request.headers[name] = text
        }
        (field, value) = ([], [])
    }

    private func didEndHead() -> Int32 {
        endHeader()
        request.method = String(cString: rex_http_method(parser))
        request.keepsAlive = http_should_keep_alive(parser) != 0
        request.wantsUpgrade = rex_http_is_upgrade(parser) != 0
        guard readTarget() else {
            failure = Failure(status: 400, message: "the request target cannot be read")
            return -1
        }
        let length = parser.pointee.content_length
        if length != .max, length > UInt64(bodyLimit) {
            failure = Failure(status: 413, message: "a body may have \(bodyLimit) bytes")
            return -1
        }
        return failure == nil ? 0 : -1
    }

    private func didReadBody(_ bytes: UnsafeRawBufferPointer) -> Int32 {
        request.body += bytes
        guard request.body.count <= bodyLimit else {
            failure = Failure(status: 413, message: "a body may have \(bodyLimit) bytes")
            return -1
        }
        return 0
    }

    private func readTarget() -> Bool {
        guard target.first == UInt8(ascii: "/") else { return false }
        let parts = target.split(separator: UInt8(ascii: "?"), maxSplits: 1)
        for part in (parts.first ?? []).split(separator: UInt8(ascii: "/")) {
            guard let text = Self.decoded(part) else { return false }
            request.segments.append(text)
        }
        guard parts.count == 2 else { return true }
        for pair in parts[1].split(separator: UInt8(ascii: "&")) {
            let sides = pair.split(
                separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            guard let name = Self.decoded(sides[0]),
                let value = sides.count == 2 ? Self.decoded(sides[1]) : ""
            else { return false }
            request.query[name] = value
        }
        return true
    }

    /// Percent-decoding (RFC 3986); nil where it is malformed or not UTF-8.
    private static func decoded(_ text: ArraySlice<UInt8>) -> String? {
        var bytes: [UInt8] = []
        var rest = text
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            guard rest.count >= 2, let high = hex(rest.removeFirst()),
                let low = hex(rest.removeFirst())
            else { return nil }
            bytes.append(high << 4 | low)
        }
        return String(validating: bytes, as: UTF8.self)
    }

    private static func hex(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}

extension Substring {
    func trimmingBlanks() -> Substring {
        var text = self
        while text.first == " " || text.first == "\t" { text.removeFirst() }
        while text.last == " " || text.last == "\t" { text.removeLast() }
        return text
    }
}
