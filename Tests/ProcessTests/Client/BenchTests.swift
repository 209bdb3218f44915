import RexProtocol
import RexTesting
import Testing

/// The load generator against a real server; what it measures is looked at, not how much.
@Suite(.ownThreads) struct BenchTests {
    private func measure(_ client: Client, _ words: String...) throws -> JSONValue {
        let run = try client.run(["--json"] + words + ["--duration", "200ms"])
        #expect(run.status == 0, "\(run.errors)")
        return try RawJSON(parsing: run.output).value
    }

    @Test func withoutWordsItPings() throws {
        let client = try Client()
        let result = try measure(client, "bench", "--connections", "2", "--window", "4")
        #expect((result["replies_per_second"]?.double ?? 0) > 0)
        #expect(result["connections"] == 2 && result["window"] == 4)
        #expect(result["delivery_latency_us"] == .null)
        #expect(try client.run("--store", "doc", "hash").output.hasSuffix(" 0\n"))
    }

    @Test func actionsAreAppliedAndSubscribersTellHowLongItTook() throws {
        let client = try Client()
        let result = try measure(
            client, "--store", "doc", "bench", "set", "path=/t", "value=@now", "--rate", "200",
            "--subscribers", "3")
        #expect((result["latency_us"]?["p50"]?.double ?? 0) > 0)
        #expect((result["delivery_latency_us"]?["p99"]?.double ?? 0) > 0)
        #expect((result["deliveries_per_second"]?.double ?? 0) > 0)
        let stored = try client.run("--store", "doc", "state", "/t").output
        #expect(stored.hasPrefix("\"@") && stored.count == 23, "\(stored)")
    }

    @Test func eventsAreSentAsListenersTakeThem() throws {
        let client = try Client()
        let result = try measure(
            client, "bench", "--topic", "load", "at=@now", "--subscribers", "3")
        let sent = result["requests_per_second"]?.double ?? 0
        let received = result["deliveries_per_second"]?.double ?? 0
        #expect(sent > 0 && received > 2 * sent, "\(sent) \(received)")
        #expect(result["latency_us"] == .null)
        #expect((result["delivery_latency_us"]?["p50"]?.double ?? 0) > 0)
    }

    @Test func aTableForPeople() throws {
        let run = try Client().run("bench", "--duration", "100ms")
        #expect(run.status == 0)
        #expect(run.lines.count == 3 && run.lines[0] == "10 connections, 64 in flight on each")
        #expect(run.lines[2].hasPrefix("replies "))
    }

    @Test func whatIsRefusedIsNotMeasured() throws {
        let client = try Client()
        let run = try client.run("--store", "counter", "bench", "fly")
        #expect(run.status == 1 && run.output.isEmpty)
        #expect(run.errors.contains("the server refused: ") && run.errors.contains("bad_action"))
        #expect(try client.run("bench", "--rate", "0").status == 2)
        #expect(try client.run("bench", "--topic", "a..b").status == 2)
    }
}
