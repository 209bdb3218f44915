/// Text of the metrics as it grows.
struct MetricsPage {
    private(set) var text = ""

    /// A counter without labels.
    mutating func counter(_ name: String, _ help: String, _ value: Int) {
        family(name, "counter", help)
        sample(name, [:], value)
    }

    /// A gauge without labels.
    mutating func gauge(_ name: String, _ help: String, _ value: Int) {
        family(name, "gauge", help)
        sample(name, [:], value)
    }

    /// A histogram of times, in seconds.
    mutating func histogram(_ name: String, _ help: String, _ histogram: Histogram) {
        family(name, "histogram", help)
        var count = 0
        for (index, bound) in Histogram.bounds.enumerated() {
            count += histogram.counts[index]
            sample(name + "_bucket", ["le": Self.seconds(bound)], count)
        }
        count += histogram.counts[Histogram.bounds.count]
        sample(name + "_bucket", ["le": "+Inf"], count)
        text += "\(name)_sum \(Self.seconds(histogram.totalNanoseconds))\n"
        sample(name + "_count", [:], count)
    }

    private static func seconds(_ nanoseconds: UInt64) -> String {
        "\(Double(nanoseconds) / 1_000_000_000)"
    }

    mutating func family(_ name: String, _ type: String, _ help: String) {
        text += "# HELP \(name) \(help)\n# TYPE \(name) \(type)\n"
    }

    mutating func sample(_ name: String, _ labels: KeyValuePairs<String, String>, _ value: Int) {
        let list = labels.map { "\($0.key)=\"\(Self.escaped($0.value))\"" }.joined(separator: ",")
        text += list.isEmpty ? "\(name) \(value)\n" : "\(name){\(list)} \(value)\n"
    }

    /// A store's name may hold what ends a label.
    private static func escaped(_ text: String) -> String {
        text.reduce(into: "") { text, character in
            switch character {
            case "\\", "\"": text += "\\\(character)"
            case "\n": text += "\\n"
            default: text.append(character)
            }
        }
    }
}
