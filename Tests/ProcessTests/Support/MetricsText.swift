import RexTesting

/// A page of metrics as a scraper reads it (Prometheus text format 0.0.4), strictly: what breaks a
/// rule of the format throws.
struct MetricsText {
    struct Fault: Error, CustomStringConvertible {
        let description: String
    }

    struct Family {
        var type: String
        /// By the name of the sample and its labels, as they stand.
        var samples: [String: Double] = [:]
    }

    private(set) var families: [String: Family] = [:]
    private var helped: Set<String> = []

    init(_ text: String) throws {
        guard text.hasSuffix("\n") else { throw Fault(description: "the last line has no end") }
        var current: String?
        for line in text.split(separator: "\n", omittingEmptySubsequences: false).dropLast() {
            do {
                current = try take(line, within: current)
            } catch {
                throw Fault(description: "\(error): \(line)")
            }
        }
        for (name, family) in families {
            guard !family.samples.isEmpty || family.type == "gauge" || family.type == "counter"
            else { throw Fault(description: "\(name) has no samples") }
            if family.type == "histogram" { try check(family, name) }
        }
    }

    /// A server's page, asked for on a connection of its own.
    static func of(_ server: ServerProcess, _ headers: [String: String] = [:]) throws -> Self {
        try Self(WebClient.ask(server, "GET", "/metrics", headers).text)
    }

    /// The value of a sample, by its name with its labels.
    subscript(_ sample: String) -> Int? {
        let name = sample.prefix { $0 != "{" }
        for (family, content) in families where name.hasPrefix(family) {
            if let value = content.samples[sample] { return Int(value) }
        }
        return nil
    }

    /// How often a limit was met.
    func hits(_ limit: String) -> Int { self["rex_limit_hits_total{limit=\"\(limit)\"}"] ?? -1 }

    /// The values of the one label of a family.
    func labels(of family: String) -> [String] {
        (families[family]?.samples.keys.map { $0 } ?? []).compactMap { sample in
            sample.split(separator: "\"").dropFirst().first.map(String.init)
        }.sorted()
    }

    private mutating func take(_ line: Substring, within current: String?) throws -> String? {
        let words = line.split(separator: " ", maxSplits: 3)
        if line.hasPrefix("# HELP ") {
            guard words.count == 4, helped.insert(String(words[2])).inserted else {
                throw Fault(description: "a help without words, or the second")
            }
            return nil
        }
        if line.hasPrefix("# TYPE ") {
            let name = String(words[2])
            guard words.count == 4, helped.contains(name), families[name] == nil,
                ["counter", "gauge", "histogram"].contains(words[3]),
                name.hasSuffix("_total") == (words[3] == "counter"),
                name.allSatisfy({ $0.isLowercase || $0 == "_" })
            else { throw Fault(description: "a type that does not fit") }
            families[name] = Family(type: String(words[3]))
            return name
        }
        guard let current else { throw Fault(description: "a sample outside its family") }
        try takeSample(line, of: current)
        return current
    }

    private mutating func takeSample(_ line: Substring, of family: String) throws {
        guard let space = line.lastIndex(of: " "),
            let value = Double(line[line.index(after: space)...]), value >= 0
        else { throw Fault(description: "no value") }
        let sample = String(line[..<space])
        let name = sample.prefix { $0 != "{" }
        let endings =
            families[family]!.type == "histogram" ? ["_bucket", "_sum", "_count"] : [""]
        guard endings.contains(where: { name == family + $0 }) else {
            throw Fault(description: "a sample of another family than \(family)")
        }
        guard families[family]!.samples.updateValue(value, forKey: sample) == nil else {
            throw Fault(description: "a sample twice")
        }
    }

    /// Buckets grow up to the one without a bound, which is the count.
    private func check(_ family: Family, _ name: String) throws {
        let buckets = family.samples.compactMap { sample, value -> (Double, Double)? in
            guard sample.hasPrefix(name + "_bucket{le=\"") else { return nil }
            let bound = sample.split(separator: "\"")[1]
            return (bound == "+Inf" ? .infinity : Double(bound) ?? .nan, value)
        }.sorted { $0.0 < $1.0 }
        guard let last = buckets.last, last.0 == .infinity,
            last.1 == family.samples[name + "_count"], family.samples[name + "_sum"] != nil,
            zip(buckets, buckets.dropFirst()).allSatisfy({ $0.1 <= $1.1 && $0.0 < $1.0 })
        else { throw Fault(description: "\(name) is no histogram") }
    }
}
