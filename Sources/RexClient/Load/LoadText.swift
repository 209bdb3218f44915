import RexProtocol

/// What a load came to, in words and as JSON.
package enum LoadText {
    private static let parts: [(name: String, part: Double)] = [
        ("p50", 0.5), ("p90", 0.9), ("p99", 0.99), ("p99.9", 0.999),
    ]

    /// One line for a person who waits.
    package static func progress(_ result: LoadResult) -> String {
        "\(grouped(result.requestsPerSecond)) requests/s, "
            + "\(grouped(result.deliveriesPerSecond)) deliveries/s"
    }

    /// A table; rows for what was not measured are left out.
    package static func lines(_ result: LoadResult, _ plan: LoadPlan) -> [String] {
        var table = TextTable("", "A SECOND", "P50", "P90", "P99", "P99.9")
        func add(_ name: String, _ rate: Double, _ latency: LatencyHistogram) {
            let times = parts.map { latency.count > 0 ? time(latency, $0.part) : "-" }
            table.add(name, grouped(rate), times[0], times[1], times[2], times[3])
        }
        if plan.followersPace {
            add("requests", result.requestsPerSecond, LatencyHistogram())
        } else {
            add("replies", result.repliesPerSecond, result.latency)
        }
        if plan.followers > 0 {
            add("deliveries", result.deliveriesPerSecond, result.deliveryLatency)
        }
        return [conditions(plan)] + table.lines
    }

    /// Everything, for programs: rates a second, times in microseconds.
    package static func json(_ result: LoadResult, _ plan: LoadPlan) -> JSONValue {
        func times(_ latency: LatencyHistogram) -> JSONValue {
            if latency.count == 0 { return .null }
            var object = JSONObject()
            for (name, part) in parts { object[name] = .double(latency.microseconds(at: part)) }
            return .object(object)
        }
        return [
            "connections": .int(plan.connections), "window": .int(plan.window),
            "subscribers": .int(plan.followers),
            "requests_per_second": .double(result.requestsPerSecond.rounded()),
            "replies_per_second": .double(result.repliesPerSecond.rounded()),
            "deliveries_per_second": .double(result.deliveriesPerSecond.rounded()),
            "latency_us": times(result.latency),
            "delivery_latency_us": times(result.deliveryLatency),
        ]
    }

    private static func conditions(_ plan: LoadPlan) -> String {
        var text = "\(plan.connections) connections, "
        if let rate = plan.requestsPerSecond {
            text += "\(grouped(rate)) requests a second"
        } else {
            text += "\(plan.window) in flight on each"
        }
        if plan.followers > 0 { text += ", \(plan.followers) subscribers" }
        return text
    }

    private static func time(_ latency: LatencyHistogram, _ part: Double) -> String {
        let microseconds = latency.microseconds(at: part)
        if microseconds < 10_000 { return "\(Int(microseconds.rounded())) µs" }
        return "\((microseconds / 100).rounded() / 10) ms"
    }

    /// 1234567.8 as `1,234,568`.
    private static func grouped(_ number: Double) -> String {
        var digits = ""
        for (place, digit) in String(Int(number.rounded())).reversed().enumerated() {
            if place > 0, place.isMultiple(of: 3) { digits.append(",") }
            digits.append(digit)
        }
        return String(digits.reversed())
    }
}
