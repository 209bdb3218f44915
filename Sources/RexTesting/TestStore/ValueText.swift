import FoundationEssentials

/// A value as lines that a person can compare: a member to a line, dictionaries and sets in the
/// order of their text.
struct ValueText {
    /// What is longer is cut.
    static let lineLimit = 4_000
    /// The most of a value in one line.
    static let columnLimit = 120
    private static let depthLimit = 24

    private(set) var lines: [String] = []

    init(_ value: Any) {
        append(value, prefix: "", suffix: "", indent: 0)
    }

    /// The value in one line, cut where that is long.
    var line: String {
        let words = lines.map { $0.drop { $0 == " " } }
        let text = words.reduce(into: "") { text, word in
            if text.last == "," { text += " " }
            text += word
        }
        return text.count > Self.columnLimit ? text.prefix(Self.columnLimit) + "…" : text
    }

    private mutating func append(_ value: Any, prefix: String, suffix: String, indent: Int) {
        if lines.count >= Self.lineLimit {
            if lines.last != "…" { lines.append("…") }
            return
        }
        let margin = String(repeating: "  ", count: indent)
        let (open, parts, close) = shape(of: value, depth: indent)
        if parts.isEmpty {
            lines.append(margin + prefix + open + close + suffix)
            return
        }
        lines.append(margin + prefix + open)
        for (place, part) in parts.enumerated() {
            append(
                part.value, prefix: part.label.map { "\($0): " } ?? "",
                suffix: place == parts.count - 1 ? "" : ",", indent: indent + 1)
        }
        lines.append(margin + close + suffix)
    }

    private typealias Part = (label: String?, value: Any)

    /// What stands before the parts of a value, they, and what stands behind.
    private func shape(of value: Any, depth: Int) -> (String, [Part], String) {
        if let text = Self.text(of: value) { return (text, [], "") }
        let mirror = Mirror(reflecting: value)
        let parts = mirror.children.map { ($0.label, $0.value) as Part }
        if depth >= Self.depthLimit { return ("…", [], "") }
        switch mirror.displayStyle {
        case .optional:
            guard let part = parts.first else { return ("nil", [], "") }
            return shape(of: part.value, depth: depth)
        case .collection:
            return ("[", parts.map { (nil, $0.value) }, "]")
        case .set:
            return ("[", parts.map { (nil, $0.value) }.sorted { key($0.1) < key($1.1) }, "]")
        case .dictionary:
            return ("[", parts.compactMap(Self.entry).sorted { $0.0 ?? "" < $1.0 ?? "" }, "]")
        case .enum:
            guard let part = parts.first else { return (".\(value)", [], "") }
            return (".\(part.label ?? "")(", Self.payload(part.value), ")")
        case .tuple:
            return ("(", Self.payload(value), ")")
        default:
            return ("\(type(of: value))(", parts, ")")
        }
    }

    /// Values that are one word.
    private static func text(of value: Any) -> String? {
        switch value {
        case let text as String: text.debugDescription
        case let text as Substring: String(text).debugDescription
        case let date as Date: "\(date) (\(date.timeIntervalSince1970))"
        case let data as Data: "\(data.count) bytes"
        case is Duration, is UUID, is any BinaryInteger, is any BinaryFloatingPoint, is Bool,
            is any StringProtocol:
            "\(value)"
        default:
            if let value = value as? any CustomStringConvertible,
                Mirror(reflecting: value).children.isEmpty,
                Mirror(reflecting: value).displayStyle == .struct
            {
                "\(value)"
            } else {
                nil
            }
        }
    }

    /// What an enumeration's case carries: one value, or several with their labels.
    private static func payload(_ value: Any) -> [Part] {
        let mirror = Mirror(reflecting: value)
        guard mirror.displayStyle == .tuple else { return [(nil, value)] }
        return mirror.children.map { child in
            let label = child.label.flatMap { $0.hasPrefix(".") ? nil : $0 }
            return (label, child.value)
        }
    }

    private static func entry(_ part: Part) -> Part? {
        let both = Array(Mirror(reflecting: part.value).children)
        guard both.count == 2 else { return nil }
        return (text(of: both[0].value) ?? "\(both[0].value)", both[1].value)
    }

    private func key(_ value: Any) -> String { Self.text(of: value) ?? "\(value)" }
}
