import RexLoop
import RexProtocol

/// Requests over HTTP: who may ask, and which path is what.
extension Server {
    func beginHTTP(_ bytes: UnsafeRawBufferPointer, on connection: Connection) {
        connection.speak(.http(HTTPReader(bodyLimit: limits.frameBytes)))
        add(.request(connection: connection.id), after: limits.requestMilliseconds)
        takeRequests(bytes, from: connection)
    }

    func takeRequests(_ bytes: UnsafeRawBufferPointer, from connection: Connection) {
        guard case .http(let reader) = connection.wire else { return }
        let began = reader.isReading
        reader.append(bytes)
        serveRequests(reader, from: connection)
        if !began, reader.isReading, connection.isServed {
            connection.requestBegan = loop.milliseconds
            add(.request(connection: connection.id), after: limits.requestMilliseconds)
        }
    }

    /// Serves what is whole, one request after the other.
    func serveRequests(_ reader: HTTPReader, from connection: Connection) {
        while connection.isServed, !connection.isPaused, case .http = connection.wire {
            do throws(HTTPReader.Failure) {
                guard let request = try reader.next() else { return }
                connection.requestBegan = nil
                metrics.httpRequests += 1
                serve(request, from: connection)
                connection.session.hasSpoken = true
                _ = pauseIfUnread(connection)
            } catch {
                connection.requestBegan = nil
                answer(
                    HTTPResponse(refusing: error.status, error.message), keepsAlive: false,
                    to: connection)
                return
            }
        }
        if case .webSocket = connection.wire {
            let rest = reader.takeRest()
            if !rest.isEmpty { rest.withUnsafeBytes { takeMessages($0, from: connection) } }
        }
    }

    /// A request whose head or body does not come is not waited for.
    func checkRequest(_ connection: Connection) {
        guard connection.isServed, case .http = connection.wire, let began = connection.requestBegan
        else { return }
        let due = began + UInt64(limits.requestMilliseconds)
        guard loop.milliseconds >= due else {
            return add(.request(connection: connection.id), at: due)
        }
        answer(
            HTTPResponse(
                refusing: 408, "the request did not come within \(limits.requestMilliseconds) ms"),
            keepsAlive: false, to: connection)
    }

    private func serve(_ request: HTTPRequest, from connection: Connection) {
        let headOnly = request.method == "HEAD"
        if let refusal = refusal(of: request) {
            answer(refusal, keepsAlive: false, headOnly: headOnly, to: connection)
            return
        }
        var response: HTTPResponse
        do throws(WireError) {
            response = try route(request, connection)
        } catch {
            response = HTTPResponse(error)
        }
        // An upgrade and a stream have answered themselves.
        guard case .http = connection.wire else { return }
        if response.status == 0 { return }
        if phase != .running { response.headers.append(("Connection", "close")) }
        answer(
            response, keepsAlive: request.keepsAlive && phase == .running, headOnly: headOnly,
            to: connection)
    }

    func answer(
        _ response: HTTPResponse, keepsAlive: Bool, headOnly: Bool = false,
        to connection: Connection
    ) {
        replyBytes(to: connection) {
            response.encode(into: &$0, keepsAlive: keepsAlive, headOnly: headOnly)
        }
        if !keepsAlive { finish(connection) }
    }

    // MARK: Who may ask

    /// No DNS rebinding and no foreign page: `Host` must be ours, and an `Origin` must be our own or
    /// on the list.
    private func refusal(of request: HTTPRequest) -> HTTPResponse? {
        guard let host = request.headers["host"], isOurs(host) else {
            return HTTPResponse(refusing: 403, "this host is not served here")
        }
        if let origin = request.headers["origin"] {
            let own = ["http://\(host)", "https://\(host)"]
            guard own.contains(origin) || allowedOrigins.contains(origin) else {
                return HTTPResponse(refusing: 403, "this origin may not ask here")
            }
        }
        if request.method == "POST" {
            let type = request.headers["content-type"]?.split(separator: ";").first?
                .trimmingBlanks().lowercased()
            guard type == "application/json" else {
                return HTTPResponse(refusing: 415, "a body must be application/json")
            }
        }
        return nil
    }

    private func isOurs(_ host: String) -> Bool {
        let name = Self.name(inHost: host)
        if name == "localhost" { return true }
        let place = Endpoint.tcp(host: name, port: 0)
        if place.isLoopback { return true }
        return allowedHosts.contains(name)
            || listeners.contains { listener in
                if case .tcp(let host, _) = listener.endpoint { host == name } else { false }
            }
    }

    /// `[::1]:7390` is `::1`, `a.example:80` is `a.example`.
    private static func name(inHost host: String) -> String {
        if host.hasPrefix("[") {
            return String(host.dropFirst().prefix { $0 != "]" }).lowercased()
        }
        return String(host.prefix { $0 != ":" }).lowercased()
    }

    // MARK: Which path is what

    private func route(
        _ request: HTTPRequest, _ connection: Connection
    ) throws(WireError) -> HTTPResponse {
        let segments = request.segments
        switch (segments.first, segments.count) {
        case ("ws", 1): return upgrade(request, connection)
        case ("livez", 1): return only(["GET", "HEAD"], request) { Self.text(200, "ok\n") }
        case ("readyz", 1):
            return only(["GET", "HEAD"], request) {
                phase == .running ? Self.text(200, "ok\n") : Self.text(503, "draining\n")
            }
        case ("metrics", 1): return only(["GET", "HEAD"], request) { metricsPage() }
        case ("stores", 3): return try storeRoute(request, connection)
        case ("topics", 2):
            guard request.method == "POST" else { return Self.notAllowed(["POST"]) }
            return try publishOverHTTP(request, topic: segments[1], connection)
        default:
            let path = "/" + segments.joined(separator: "/")
            guard let page = Pages.all[path] else {
                return HTTPResponse(refusing: 404, "no such page")
            }
            return only(["GET", "HEAD"], request) { page.response(to: request) }
        }
    }

    private func storeRoute(
        _ request: HTTPRequest, _ connection: Connection
    ) throws(WireError) -> HTTPResponse {
        let name = request.segments[1]
        switch request.segments[2] {
        case "actions":
            guard request.method == "POST" else { return Self.notAllowed(["POST"]) }
            return try dispatchOverHTTP(request, store: name, connection)
        case "state":
            guard ["GET", "HEAD"].contains(request.method) else {
                return Self.notAllowed(["GET", "HEAD"])
            }
            return try stateOverHTTP(request, store: name)
        case "patches":
            guard request.method == "GET" else { return Self.notAllowed(["GET"]) }
            return try stream(request, store: name, connection)
        default: return HTTPResponse(refusing: 404, "no such page")
        }
    }

    private func only(
        _ methods: [String], _ request: HTTPRequest, _ body: () -> HTTPResponse
    ) -> HTTPResponse {
        methods.contains(request.method) ? body() : Self.notAllowed(methods)
    }

    private static func notAllowed(_ methods: [String]) -> HTTPResponse {
        var response = HTTPResponse(refusing: 405, "only \(methods.joined(separator: ", "))")
        response.headers.append(("Allow", methods.joined(separator: ", ")))
        return response
    }

    private static func text(_ status: Int, _ text: String) -> HTTPResponse {
        HTTPResponse(status, "text/plain; charset=utf-8", Array(text.utf8))
    }
}
