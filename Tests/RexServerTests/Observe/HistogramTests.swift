import Testing

@testable import RexServer

@Suite struct HistogramTests {
    @Test func eachTimeCountsOnceUnderItsBound() {
        var histogram = Histogram()
        for time: UInt64 in [0, 100_000, 100_001, 1_000_000_000, 1_000_000_001, 5_000_000_000] {
            histogram.record(nanoseconds: time)
        }
        #expect(histogram.counts == [2, 1, 0, 0, 0, 0, 0, 0, 1, 2])
        #expect(histogram.totalNanoseconds == 7_000_200_002)
    }

    @Test func thePageHasItInSeconds() {
        var histogram = Histogram()
        histogram.record(nanoseconds: 1_500_000)
        histogram.record(nanoseconds: 2_000_000_000)
        var page = MetricsPage()
        page.histogram("x_seconds", "Times.", histogram)
        let lines = page.text.split(separator: "\n")
        #expect(lines[0] == "# HELP x_seconds Times." && lines[1] == "# TYPE x_seconds histogram")
        #expect(lines[2] == "x_seconds_bucket{le=\"0.0001\"} 0")
        #expect(lines.contains("x_seconds_bucket{le=\"0.005\"} 1"))
        #expect(lines.contains("x_seconds_bucket{le=\"1.0\"} 1"))
        #expect(
            lines.suffix(3) == [
                "x_seconds_bucket{le=\"+Inf\"} 2", "x_seconds_sum 2.0015", "x_seconds_count 2",
            ])
    }
}
