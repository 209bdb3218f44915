/// One row of a table: the median of five runs.
func row(_ title: String, count: Int, unit: String, _ body: () async -> Void) async {
    var rates: [Double] = []
    for _ in 0..<5 {
        let elapsed = await ContinuousClock().measure { await body() }
        rates.append(Double(count) / (elapsed / .seconds(1)))
    }
    rates.sort()
    let median = rates[rates.count / 2]
    let name = title + String(repeating: " ", count: max(0, 44 - title.count))
    print("  \(name) \(grouped(Int(median))) \(unit)/s   \(nanoseconds(1 / median)) ns each")
}

/// Keeps the optimizer from dropping what nobody reads.
@inline(never)
func keep<T>(_ value: T) {}

private func nanoseconds(_ seconds: Double) -> Int { Int((seconds * 1e9).rounded()) }

/// 1234567 as `1,234,567`, at the right of 12 columns.
private func grouped(_ number: Int) -> String {
    var digits = ""
    for (place, digit) in String(number).reversed().enumerated() {
        if place > 0 && place.isMultiple(of: 3) { digits.append(",") }
        digits.append(digit)
    }
    return String(repeating: " ", count: max(0, 12 - digits.count)) + String(digits.reversed())
}
