import RexProtocol
import RexTesting
import Testing

/// One address does not have all the places there are.
@Suite(.serialized, .ownThreads) struct AddressTests {
    private static func untilServed(_ server: ServerProcess) throws {
        let deadline = ContinuousClock.now + .seconds(60)
        while (try? LineClient(server).ask(["op": "ping"]))?.op != "pong" {
            try #require(ContinuousClock.now < deadline)
        }
    }

    @Test func oneTooManyOfAnAddressIsToldAndOthersAreServed() throws {
        let socket = "unix:" + (try Scratch().folder) + ".socket"
        let scratch = try Scratch()
        let file = try scratch.write(
            "{\"limits\": {\"address_connections\": 2}}", to: "rex.json")
        let server = try Programs.startServer(
            "--config", file, "--log-level", "info", listen: ["127.0.0.1:0", socket])
        let first = try LineClient(server)
        let second = try WebClient(server)
        #expect(try first.ask(["op": "ping"]).op == "pong")
        #expect(try second.ask("GET", "/livez").status == 200)
        let frames = try LineClient(server).rest()
        #expect(frames.map(\.op) == ["error", "bye"])
        #expect(frames.map(\.code) == ["overloaded", "overloaded"])
        #expect(frames[0]["retry_ms"] == 1_000 && frames[1]["reconnect"] == true)
        #expect(frames[0]["message"]?.string?.contains("2 connections of one address") == true)
        let web = try WebClient(server)
        let answer = try web.ask("GET", "/livez")
        #expect(answer.status == 503 && answer.headers["retry-after"] == "1")
        // Another address, and who has none, are served.
        #expect(try LineClient(server, from: "127.0.0.2").ask(["op": "ping"]).op == "pong")
        let path = String(socket.dropFirst(5))
        let unix = try (0..<4).map { _ in try LineClient(path: path) }
        for client in unix { #expect(try client.ask(["op": "ping"]).op == "pong") }
        let metrics = try MetricsText(try second.ask("GET", "/metrics").text)
        #expect(metrics.hits("address_connections") == 2 && metrics.hits("connections") == 0)
        #expect(metrics["rex_connections_accepted_total"] == 9)
        #expect(try server.process.errors(until: "connection_refused").contains("info"))
        #expect(try server.process.errors(until: "\n").contains("limit=address_connections"))
        // A place that is free again is given to the next who comes.
        first.close()
        try Self.untilServed(server)
    }

    /// Those that hear why do not take the room of others.
    @Test func aFloodFromOneAddressLeavesRoomForOthers() throws {
        let server = try Programs.startServer(
            limits: "\"address_connections\": 4, \"connections\": 20")
        let first = try (0..<4).map { _ in try LineClient(server) }
        for client in first { #expect(try client.ask(["op": "ping"]).op == "pong") }
        // None of them reads or goes; nothing is said by some of them either.
        let flood = try (0..<600).map { _ in try LineClient(server) }
        for client in flood.prefix(300) { try? client.send("{\"op\":\"ping\"}\n") }
        let others = try (0..<10).map { try LineClient(server, from: "127.0.1.\($0 + 1)") }
        for client in others { #expect(try client.ask(["op": "ping"]).op == "pong") }
        for client in first { #expect(try client.ask(["op": "ping"]).op == "pong") }
        let metrics = try MetricsText(
            WebClient(LineClient(server, from: "127.0.0.3"), host: server.address)
                .ask("GET", "/metrics").text)
        #expect(metrics.hits("address_connections") == 600)
        #expect(metrics["rex_accept_pauses_total"] == 0)
        #expect(metrics["rex_addresses"] == 12)
        // Everybody who was told is told why, and none of them is served.
        var told = 0
        for client in flood {
            guard let frames = try? client.rest() else { continue }
            #expect(frames.allSatisfy { $0.code == "overloaded" }, "\(frames)")
            if !frames.isEmpty { told += 1 }
        }
        #expect(told > 0 && told < 600)
        let before = server.processorTime
        Sockets.idle(.milliseconds(300))
        #expect(server.processorTime - before < .milliseconds(100))
    }

    /// Of IPv6 a host has all addresses of its /64; here there is one.
    @Test(.enabled(if: Sockets.hasIPv6)) func anAddressOfIPv6IsOneToo() throws {
        let server = try Programs.startServer(
            "--limit", "address_connections=1", listen: ["[::1]:0", "127.0.0.1:0"])
        let watching = try Programs.startClient(server, "--store", "counter", "watch")
        defer { withExtendedLifetime(watching) {} }
        #expect(try watching.line().contains("count"))
        let refused = try Programs.client(server, "--store", "counter", "state")
        #expect(refused.code != 0 && refused.errors.contains("connections of one address"))
        let port = server.addresses[1].split(separator: ":").last.flatMap { UInt16($0) } ?? 0
        #expect(try LineClient(port: port).ask(["op": "ping"]).op == "pong")
    }

    /// Ended and not closed: such connections take their places until they are gone.
    @Test func whatIsEndedCountsUntilItIsClosed() throws {
        let server = try Programs.startServer(
            limits: "\"address_connections\": 2, \"linger_ms\": 60000")
        let ended = try (0..<2).map { _ in try WebClient(server) }
        for web in ended {
            #expect(try web.ask("GET", "/livez", ["Connection": "close"]).status == 200)
            #expect(try web.isEnded())
        }
        #expect(try LineClient(server).frame().code == "overloaded")
        ended[0].socket.close()
        try Self.untilServed(server)
    }

    @Test func withoutABoundOneAddressMayHaveAll() throws {
        let server = try Programs.startServer(limits: "\"address_connections\": 0")
        let clients = try (0..<50).map { _ in try LineClient(server) }
        for client in clients { #expect(try client.ask(["op": "ping"]).op == "pong") }
    }
}
