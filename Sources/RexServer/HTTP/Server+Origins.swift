import RexLoop

/// Who may ask over HTTP.
extension Server {
    /// No DNS rebinding and no foreign page: `Host` must be ours, and an `Origin` must be our own
    /// or on the list. Without an `Origin` it is a program that asks.
    func refusal(of request: HTTPRequest) -> HTTPResponse? {
        guard let host = request.headers["host"], !host.isEmpty else {
            return HTTPResponse(refusing: 400, "a Host is needed")
        }
        guard isOurs(host) else {
            return HTTPResponse(refusing: 403, "this host is not served here")
        }
        guard let origin = request.headers["origin"] else { return nil }
        guard isOwn(origin, host) || allowedOrigins.contains(origin) else {
            return HTTPResponse(refusing: 403, "this origin may not ask here")
        }
        return nil
    }

    private func isOwn(_ origin: String, _ host: String) -> Bool {
        let host = host.lowercased()
        return origin == "http://\(host)" || origin == "https://\(host)"
    }

    private func isOurs(_ host: String) -> Bool {
        guard let name = Self.name(inHost: host) else { return false }
        let place = Endpoint.tcp(host: name, port: 0)
        if place.isLoopback || allowedHosts.contains(name) || servedHosts.contains(name) {
            return true
        }
        // Listening everywhere, any address of ours may be named; a name may not, for it is a name
        // that rebinding needs.
        return place.isLiteral && servedHosts.contains { $0 == "0.0.0.0" || $0 == "::" }
    }

    /// `[::1]:7390` is `::1`, `a.example:80` is `a.example`; nil where it is malformed.
    private static func name(inHost host: String) -> String? {
        let host = host.lowercased()
        if host.contains(":"), let end = try? Endpoint(parsing: host), case .tcp(let name, _) = end
        {
            return name
        }
        if host.hasPrefix("["), host.hasSuffix("]") { return String(host.dropFirst().dropLast()) }
        return host.contains(":") ? nil : host
    }

    /// The question of a browser whether a page of an origin on the list may send what it wants to
    /// send.
    func isPreflight(_ request: HTTPRequest) -> Bool {
        request.method == "OPTIONS" && request.headers["origin"] != nil
            && request.headers["access-control-request-method"] != nil
    }

    /// Lets pages of the origins on the list read the answer (Fetch standard, CORS).
    func sharingHeaders(for request: HTTPRequest) -> [(name: String, value: String)] {
        guard !allowedOrigins.isEmpty else { return [] }
        var headers = [(name: "Vary", value: "Origin")]
        guard let origin = request.headers["origin"], allowedOrigins.contains(origin) else {
            return headers
        }
        headers += [
            ("Access-Control-Allow-Origin", origin), ("Access-Control-Expose-Headers", "ETag"),
        ]
        if isPreflight(request) {
            headers += [
                ("Access-Control-Allow-Methods", "GET, HEAD, POST"),
                (
                    "Access-Control-Allow-Headers",
                    "Authorization, Content-Type, Idempotency-Key, If-Match, If-None-Match, "
                        + "Last-Event-ID, Rex-Session"
                ), ("Access-Control-Max-Age", "600"),
            ]
        }
        return headers
    }
}
