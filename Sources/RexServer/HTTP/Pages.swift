/// The files that the server brings along, each under its path.
enum Pages {
    /// One file, with the tag of its content.
    struct Page {
        let type: String
        let body: [UInt8]
        let tag: String

        init(_ type: String, _ body: [UInt8]) {
            self.type = type
            self.body = body
            tag = "\"\(Digest.hexadecimal(Array(Digest.sha256(body).prefix(8))))\""
        }

        func response(to request: HTTPRequest) -> HTTPResponse {
            let isKnown = request.knows(tag)
            var response = isKnown ? HTTPResponse(304) : HTTPResponse(200, type, body)
            response.headers += [
                ("ETag", tag), ("Cache-Control", "no-cache"),
                ("Content-Security-Policy", Pages.policy), ("Referrer-Policy", "no-referrer"),
            ]
            return response
        }
    }

    /// Nothing comes from another host, and nobody puts a page of ours in a frame.
    private static let policy =
        "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
        + "img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

    static let all: [String: Page] = [:]
}
