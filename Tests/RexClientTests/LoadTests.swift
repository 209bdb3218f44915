import RexClient
import RexLoop
import Testing

@Suite struct LoadTests {
    private let plan = LoadPlan(endpoint: .tcp(host: "127.0.0.1", port: 1), request: [])

    @Test func nowBecomesAPlaceholderOnce() {
        let text = #"{"data":{"at":"@now","again":"@now","@now":1}}"#
        let prepared = String(decoding: LoadStamp.prepared(Array(text.utf8)), as: UTF8.self)
        let wanted = #"{"data":{"at":"\#(LoadPlan.stamp)","again":"@now","@now":1}}"#
        #expect(prepared == wanted)
        #expect(LoadStamp.prepared([1, 2]) == [1, 2])
    }

    @Test func aLatencyIsFoundAgainToWithinFourPercent() {
        for microseconds in [1.0, 63, 64, 65, 1_000, 123_456, 60_000_000] {
            var histogram = LatencyHistogram()
            histogram.add(nanoseconds: UInt64(microseconds * 1_000))
            let found = histogram.microseconds(at: 0.5)
            #expect(abs(found - microseconds) <= microseconds * 0.04, "\(found) \(microseconds)")
        }
    }

    @Test func partsOfAHistogram() {
        var histogram = LatencyHistogram()
        #expect(histogram.microseconds(at: 0.5) == 0)
        for _ in 0..<98 { histogram.add(nanoseconds: 1_000) }
        for _ in 0..<2 { histogram.add(nanoseconds: 1_000_000) }
        #expect(histogram.microseconds(at: 0.5) < 2)
        #expect(histogram.microseconds(at: 0.98) < 2)
        #expect(histogram.microseconds(at: 0.99) > 900)
        #expect(histogram.count == 100)
    }

    @Test func theTableLeavesOutWhatWasNotMeasured() {
        var result = LoadResult()
        result.repliesPerSecond = 1_234_567.4
        result.latency.add(nanoseconds: 50_000)
        result.latency.add(nanoseconds: 20_000_000)
        #expect(
            LoadText.lines(result, plan) == [
                "1 connections, 1 in flight on each",
                "         A SECOND   P50    P90      P99      P99.9",
                "replies  1,234,567  49 µs  19.9 ms  19.9 ms  19.9 ms",
            ])
        var watched = plan
        watched.followers = 3
        watched.requestsPerSecond = 1_000
        let lines = LoadText.lines(LoadResult(), watched)
        #expect(lines[0] == "1 connections, 1,000 requests a second, 3 subscribers")
        #expect(lines.last?.hasPrefix("deliveries  0") == true)
    }
}
