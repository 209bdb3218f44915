import CHTTPParser

/// The head of a request, read by libhttp-parser once it is whole and once what that library lets
/// pass is ruled out: a bare line feed, a continued line, a name with a blank in it, two lengths, a
/// length beside chunks. What one server reads as one request and another as two is refused, so
/// that nobody in between can be deceived (RFC 9112 §11.2).
struct HTTPHead {
    /// How the body that follows ends.
    enum Body: Equatable {
        case none
        case length(Int)
        case chunked
    }

    /// The longest head, request line included. Over it: 431.
    static let limitBytes = 16_384

    private(set) var request = HTTPRequest()
    private(set) var body = Body.none
    /// The client waits for `100 Continue` before it sends the body.
    var wantsContinue: Bool { request.lists("100-continue", in: "expect") }

    /// Finds where the head ends, among bytes of which `seen` were looked at before.
    ///
    /// - Returns: nil while it is not whole.
    static func end(
        in bytes: ArraySlice<UInt8>, seen: Int
    ) throws(HTTPReader.Failure) -> Int? {
        let from = bytes.startIndex + max(0, seen - 3)
        let most = min(bytes.endIndex, bytes.startIndex + limitBytes)
        var index = from
        while index < most {
            let byte = bytes[index]
            let previous: UInt8 = index > bytes.startIndex ? bytes[index - 1] : 0
            if byte == 10 {
                guard previous == 13 else { throw .init(400, "a bare line feed") }
                if index - bytes.startIndex >= 3, bytes[index - 2] == 10 { return index + 1 }
            } else if previous == 13 {
                throw .init(400, "a bare carriage return")
            } else if byte < 32 && byte != 13 && byte != 9 || byte == 127 {
                throw .init(400, "a control character in the head")
            } else if previous == 10, byte == 32 || byte == 9 {
                throw .init(400, "a header line that continues another")
            }
            index += 1
        }
        guard bytes.count < limitBytes else {
            throw .init(431, "a head may have \(limitBytes) bytes")
        }
        return nil
    }

    /// Reads a whole head.
    init(_ bytes: ArraySlice<UInt8>) throws(HTTPReader.Failure) {
        // The library skips blanks where a server in front may not.
        let line = bytes.prefix { $0 != 13 }
        guard line.count(where: { $0 == 32 }) <= 2, !line.contains(9) else {
            throw .init(400, "blanks in the request line")
        }
        let parsing = HTTPHeadParsing()
        parsing.run(bytes)
        if let fault = parsing.fault { throw .init(400, fault) }
        try check(parsing)
        request.method = parsing.method
        request.isOld = parsing.isOld
        request.keepsAlive = parsing.keepsAlive
        for (name, value) in parsing.headers {
            guard Self.isName(name) else { throw .init(400, "a malformed header name") }
            try add(String(decoding: name, as: UTF8.self).lowercased(), value)
        }
        // Also where the target names one (RFC 9112 §3.2).
        guard request.isOld || request.headers["host"] != nil else {
            throw .init(400, "a Host is needed")
        }
        guard request.read(target: parsing.target) else {
            throw .init(400, "the request target cannot be read")
        }
        body = try readBody()
    }

    private func check(_ parsing: HTTPHeadParsing) throws(HTTPReader.Failure) {
        guard parsing.version == (1, 1) || parsing.version == (1, 0) else {
            throw .init(505, "HTTP/1.1 is spoken here")
        }
    }

    private mutating func add(_ name: String, _ value: [UInt8]) throws(HTTPReader.Failure) {
        guard let whole = String(validating: value, as: UTF8.self) else {
            throw .init(400, "a header that is not UTF-8")
        }
        // Blanks around a value are no part of it (RFC 9110 §5.5).
        let text = String(Substring(whole).trimmingBlanks())
        guard let earlier = request.headers[name] else {
            request.headers[name] = text
            return
        }
        // Two of these are two opinions of what is asked.
        guard
            ![
                "host", "content-length", "transfer-encoding", "origin", "authorization",
            ].contains(name)
        else {
            throw .init(400, "two headers \(name)")
        }
        request.headers[name] = earlier + "," + text
    }

    private func readBody() throws(HTTPReader.Failure) -> Body {
        let length = request.headers["content-length"]
        guard let coding = request.headers["transfer-encoding"] else {
            guard let length else { return .none }
            guard !length.isEmpty, length.utf8.allSatisfy({ (48...57).contains($0) }) else {
                throw .init(400, "a malformed Content-Length")
            }
            guard let count = Int(length) else { throw .init(413, "a body of \(length) bytes") }
            return count == 0 ? .none : .length(count)
        }
        guard length == nil else { throw .init(400, "a length beside chunks") }
        guard coding.lowercased() == "chunked", !request.isOld else {
            throw .init(501, "no transfer coding but chunked is known")
        }
        return .chunked
    }

    private static func isName(_ name: [UInt8]) -> Bool {
        !name.isEmpty
            && name.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"),
                    UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"):
                    true
                default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
                }
            }
    }
}

/// One run of libhttp-parser over a whole head.
private final class HTTPHeadParsing {
    private(set) var target: [UInt8] = []
    private(set) var headers: [(name: [UInt8], value: [UInt8])] = []
    private(set) var method = ""
    private(set) var version = (0, 0)
    private(set) var keepsAlive = false
    private(set) var fault: String?
    private var isComplete = false
    var isOld: Bool { version == (1, 0) }

    func run(_ bytes: ArraySlice<UInt8>) {
        var parser = http_parser()
        var settings = http_parser_settings()
        http_parser_init(&parser, HTTP_REQUEST)
        http_parser_settings_init(&settings)
        settings.on_url = {
            HTTPHeadParsing.of($0).target += HTTPHeadParsing.bytes($1, $2)
            return 0
        }
        settings.on_header_field = {
            let bytes = HTTPHeadParsing.bytes($1, $2)
            HTTPHeadParsing.of($0).headers.append((Array(bytes), []))
            return 0
        }
        settings.on_header_value = {
            let parsing = HTTPHeadParsing.of($0)
            parsing.headers[parsing.headers.count - 1].value += HTTPHeadParsing.bytes($1, $2)
            return 0
        }
        settings.on_headers_complete = { parser in
            HTTPHeadParsing.of(parser).didEnd(parser!)
            // The body is not for the library: stop.
            http_parser_pause(parser, 1)
            return 0
        }
        parser.data = Unmanaged.passUnretained(self).toOpaque()
        bytes.withUnsafeBytes {
            _ = http_parser_execute(
                &parser, &settings, $0.baseAddress!.assumingMemoryBound(to: CChar.self), $0.count)
        }
        guard !isComplete else { return }
        fault = String(cString: http_errno_description(http_errno(UInt32(rex_http_error(&parser)))))
    }

    private func didEnd(_ parser: UnsafeMutablePointer<http_parser>) {
        isComplete = true
        method = String(cString: rex_http_method(parser))
        version = (Int(parser.pointee.http_major), Int(parser.pointee.http_minor))
        keepsAlive = http_should_keep_alive(parser) != 0
    }

    private static func of(_ parser: UnsafeMutablePointer<http_parser>?) -> HTTPHeadParsing {
        Unmanaged<HTTPHeadParsing>.fromOpaque(parser!.pointee.data).takeUnretainedValue()
    }

    private static func bytes(_ at: UnsafePointer<CChar>?, _ count: Int) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(start: at, count: count)
    }
}
