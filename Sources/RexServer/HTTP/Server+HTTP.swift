import FoundationEssentials
import RexLoop
import RexProtocol

/// Requests over HTTP, one after the other on a connection.
extension Server {
    func beginHTTP(_ bytes: UnsafeRawBufferPointer, on connection: Connection) {
        connection.speak(.http(HTTPReader(bodyLimit: limits.frameBytes)))
        awaitSilence(of: connection)
        takeRequests(bytes, from: connection)
    }

    func takeRequests(_ bytes: UnsafeRawBufferPointer, from connection: Connection) {
        guard case .http(let reader) = connection.wire else { return }
        reader.append(bytes)
        serveRequests(reader, from: connection)
    }

    /// Serves what is whole.
    func serveRequests(_ reader: HTTPReader, from connection: Connection) {
        while connection.isServed, !connection.isPaused, case .http = connection.wire {
            do throws(HTTPReader.Failure) {
                guard let request = try reader.next() else {
                    return awaitRest(of: reader, from: connection)
                }
                connection.requestBegan = nil
                metrics.httpRequests += 1
                if countsRates { spendFrame(of: connection) }
                serve(request, from: connection)
                pauseIfNeeded(connection)
            } catch {
                connection.requestBegan = nil
                metrics.httpRequests += 1
                if error.status == 413 { metrics.count(.frameBytes) }
                answer(HTTPResponse(refusing: error.status, error.message), to: connection)
                return
            }
        }
        if case .webSocket = connection.wire {
            reader.takeRest().withUnsafeBytes { takeMessages($0, from: connection) }
        }
    }

    /// After a request: what is behind it waits where a connection has had its share.
    private func pauseIfNeeded(_ connection: Connection) {
        guard connection.isServed, !connection.isPaused else { return }
        _ =
            pauseIfUnread(connection) || pauseIfLong(connection)
            || (countsRates && pauseIfSpent(connection))
    }

    /// A request whose rest does not come is not waited for.
    private func awaitRest(of reader: HTTPReader, from connection: Connection) {
        guard reader.isReading else { return }
        if reader.mustContinue {
            reader.didContinue()
            replyBytes(to: connection) { $0.literal("HTTP/1.1 100 Continue\r\n\r\n") }
        }
        guard connection.requestBegan == nil else { return }
        connection.requestBegan = loop.milliseconds
        // One deadline a connection: the last request's may still be under way.
        guard !connection.hasRequestDeadline else { return }
        connection.hasRequestDeadline = true
        add(.request(connection: connection.id), after: limits.requestMilliseconds)
    }

    func checkRequest(_ connection: Connection) {
        connection.hasRequestDeadline = false
        guard connection.isServed, case .http = connection.wire, let began = connection.requestBegan
        else { return }
        let due = began + UInt64(limits.requestMilliseconds)
        guard loop.milliseconds >= due else {
            connection.hasRequestDeadline = true
            return add(.request(connection: connection.id), at: due)
        }
        metrics.count(.requestMilliseconds)
        let text = "the request did not come within \(limits.requestMilliseconds) ms"
        answer(HTTPResponse(refusing: 408, text), to: connection)
    }

    func serve(_ request: HTTPRequest, from connection: Connection) {
        guard var response = response(to: request, from: connection) else { return }
        // An upgrade and a stream have answered themselves.
        guard case .http = connection.wire else { return }
        let keepsAlive = request.keepsAlive && phase == .running
        if keepsAlive, request.isOld { response.headers.append(("Connection", "keep-alive")) }
        answer(
            response, keepsAlive: keepsAlive, headOnly: request.method == "HEAD",
            isPublic: request.isProbe, to: connection)
    }

    /// Nil where the journal, or the program, is being asked first.
    private func response(to request: HTTPRequest, from connection: Connection) -> HTTPResponse? {
        if let refusal = refusal(of: request) { return refusal }
        var response: HTTPResponse
        if isPreflight(request) {
            response = HTTPResponse(204)
        } else {
            do throws(WireError) {
                response = try route(request, connection)
            } catch {
                if let question = takeAuthorization() {
                    ask(question, for: connection, then: .http(request))
                    return nil
                }
                if let (store, question) = takeQuestion() {
                    ask(question, of: store, for: connection, then: .http(request))
                    return nil
                }
                noteRefusal(error, of: connection)
                response = HTTPResponse(error)
            }
        }
        response.headers += sharingHeaders(for: request)
        return response
    }

    /// Sends an answer; without `keepsAlive` it is the last one.
    func answer(
        _ response: HTTPResponse, keepsAlive: Bool = false, headOnly: Bool = false,
        isPublic: Bool = false, to connection: Connection
    ) {
        var response = response
        response.headers += commonHeaders
        if !keepsAlive { response.headers.append(("Connection", "close")) }
        replyBytes(to: connection, isPublic: isPublic) {
            response.encode(into: &$0, headOnly: headOnly)
        }
        if !keepsAlive { finish(connection) }
    }

    /// What every answer says.
    var commonHeaders: [(name: String, value: String)] {
        [("Date", dates.text(now: Date())), ("X-Content-Type-Options", "nosniff")]
    }

    // MARK: Which path is what

    /// What needs no name: whether the server lives, and the pages, which hold nothing of a store.
    private func openRoute(_ request: HTTPRequest) -> HTTPResponse? {
        let segments = request.segments
        switch (segments.first, segments.count) {
        case ("livez", 1): return reading(request) { .text(200, "ok") }
        case ("readyz", 1):
            return reading(request) {
                if let failure = journal?.failure {
                    return .text(503, "nothing can be stored: \(failure)")
                }
                return phase == .running ? .text(200, "ok") : .text(503, "draining")
            }
        case ("ws", _), ("metrics", _), ("stores", _), ("topics", _): return nil
        default:
            guard segments.count <= 1, let page = Pages.all[segments.first ?? ""] else {
                return HTTPResponse(refusing: 404, "there is no such path")
            }
            return reading(request) { page.response(to: request) }
        }
    }

    private func route(
        _ request: HTTPRequest, _ connection: Connection
    ) throws(WireError) -> HTTPResponse {
        if let response = openRoute(request) { return response }
        let segments = request.segments
        // The frames of a WebSocket say themselves whose they are.
        if segments == ["ws"], request.headers["authorization"] == nil {
            forgetName(of: connection)
            return upgrade(request, connection)
        }
        try admit(request, of: connection)
        switch (segments.first, segments.count) {
        case ("ws", 1): return upgrade(request, connection)
        case ("metrics", 1):
            guard connection.permissions.readsMetrics else {
                throw WireError(.forbidden, "you may not read the metrics")
            }
            return reading(request) { metricsPage() }
        case ("stores", 3): return try storeRoute(request, connection)
        case ("topics", 2):
            return try acting(request) { () throws(WireError) in
                try publishOverHTTP(request, topic: segments[1], connection)
            }
        default: return HTTPResponse(refusing: 404, "there is no such path")
        }
    }

    private func storeRoute(
        _ request: HTTPRequest, _ connection: Connection
    ) throws(WireError) -> HTTPResponse {
        let name = request.segments[1]
        switch request.segments[2] {
        case "actions":
            return try acting(request) { () throws(WireError) in
                try dispatchOverHTTP(request, store: name, connection)
            }
        case "state":
            return try reading(request) { () throws(WireError) in
                try stateOverHTTP(request, store: name, connection.permissions)
            }
        case "patches":
            guard request.method == "GET" else { return .notAllowed(["GET"]) }
            return try stream(request, store: name, connection)
        default: return HTTPResponse(refusing: 404, "there is no such path")
        }
    }

    private func reading(
        _ request: HTTPRequest, _ body: () throws(WireError) -> HTTPResponse
    ) throws(WireError) -> HTTPResponse {
        guard ["GET", "HEAD"].contains(request.method) else { return .notAllowed(["GET", "HEAD"]) }
        return try body()
    }

    private func reading(_ request: HTTPRequest, _ body: () -> HTTPResponse) -> HTTPResponse {
        ["GET", "HEAD"].contains(request.method) ? body() : .notAllowed(["GET", "HEAD"])
    }

    /// What acts comes as JSON: a page of another origin cannot send that without being asked for
    /// leave first.
    private func acting(
        _ request: HTTPRequest, _ body: () throws(WireError) -> HTTPResponse
    ) throws(WireError) -> HTTPResponse {
        guard request.method == "POST" else { return .notAllowed(["POST"]) }
        let type = request.headers["content-type"]?.split(separator: ";").first?
            .trimmingBlanks().lowercased()
        guard type == "application/json" else {
            return HTTPResponse(refusing: 415, "a body must be application/json")
        }
        guard phase != .saying else {
            throw WireError(.shuttingDown, "the server is shutting down")
        }
        return try body()
    }
}
