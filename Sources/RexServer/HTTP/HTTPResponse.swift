import RexProtocol

/// One answer of HTTP/1.1, before it is bytes.
struct HTTPResponse {
    var status: Int
    var headers: [(name: String, value: String)] = []
    var body: [UInt8] = []

    /// An answer with a body of a type.
    init(_ status: Int, _ type: String, _ body: [UInt8]) {
        self.status = status
        self.body = body
        headers = [("Content-Type", type)]
    }

    /// An answer without a body.
    init(_ status: Int) { self.status = status }

    /// One frame as JSON.
    init(_ status: Int, _ frame: ServerFrame) {
        var writer = JSONWriter()
        frame.encode(into: &writer)
        writer.byte(UInt8(ascii: "\n"))
        self.init(status, "application/json", writer.bytes)
    }

    /// An error as JSON, with the status that goes with its code.
    init(_ error: WireError) {
        self.init(error.code.httpStatus, .error(id: nil, error))
        if error.code == .unauthorized { headers.append(("WWW-Authenticate", "Bearer")) }
        if let retry = error.retryMilliseconds {
            headers.append(("Retry-After", "\((retry + 999) / 1_000)"))
        }
    }

    /// A refusal before anything of ours is reached.
    init(refusing status: Int, _ message: String) {
        self = .text(status, message)
    }

    /// This method is not for that path.
    static func notAllowed(_ methods: [String]) -> HTTPResponse {
        let list = methods.joined(separator: ", ")
        var response = HTTPResponse(refusing: 405, "only \(list)")
        response.headers.append(("Allow", list))
        return response
    }

    /// A line of text.
    static func text(_ status: Int, _ text: String) -> HTTPResponse {
        HTTPResponse(status, "text/plain; charset=utf-8", Array("\(text)\n".utf8))
    }

    /// The head and, unless only the head was asked for, the body.
    func encode(into writer: inout JSONWriter, headOnly: Bool = false) {
        writer.bytes += "HTTP/1.1 \(status) \(Self.reason(status))\r\n".utf8
        for (name, value) in headers { writer.bytes += "\(name): \(value)\r\n".utf8 }
        if status >= 200, status != 204, status != 304, !isStream {
            writer.bytes += "Content-Length: \(body.count)\r\n".utf8
        }
        writer.literal("\r\n")
        if !headOnly { writer.bytes += body }
    }

    /// The body follows for as long as the connection lives.
    var isStream = false

    private static func reason(_ status: Int) -> String {
        switch status {
        case 101: "Switching Protocols"
        case 200: "OK"
        case 204: "No Content"
        case 304: "Not Modified"
        case 400: "Bad Request"
        case 401: "Unauthorized"
        case 403: "Forbidden"
        case 404: "Not Found"
        case 405: "Method Not Allowed"
        case 408: "Request Timeout"
        case 410: "Gone"
        case 412: "Precondition Failed"
        case 413: "Content Too Large"
        case 415: "Unsupported Media Type"
        case 422: "Unprocessable Content"
        case 426: "Upgrade Required"
        case 429: "Too Many Requests"
        case 431: "Request Header Fields Too Large"
        case 500: "Internal Server Error"
        case 501: "Not Implemented"
        case 505: "HTTP Version Not Supported"
        default: "Service Unavailable"
        }
    }
}

extension ErrorCode {
    /// The status of an HTTP answer with this error.
    var httpStatus: Int {
        switch self {
        case .badJSON, .badFrame, .unknownOp, .badAction, .badTopic, .unsupportedProtocol: 400
        case .unauthorized: 401
        case .forbidden: 403
        case .unknownStore, .unknownView, .notFound: 404
        case .gone: 410
        case .conflict: 412
        case .tooLarge: 413
        case .rejected, .keyReused: 422
        case .rateLimited: 429
        case .overloaded, .shuttingDown: 503
        case .tooSlow: 408
        case .internal: 500
        }
    }
}
