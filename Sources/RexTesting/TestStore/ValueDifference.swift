/// The difference of two values as lines: `−` what was expected, `+` what is.
struct ValueDifference: CustomStringConvertible {
    /// How many equal lines stand around a difference.
    private static let contextLines = 3
    /// Above it the lines in between are not compared one by one.
    private static let comparedLimit = 2_000

    private enum Mark: Character {
        case both = " "
        case expected = "−"
        case actual = "+"
    }

    private var rows: [(mark: Mark, line: String)] = []

    init(expected: Any, actual: Any) {
        let (old, new) = (ValueText(expected).lines, ValueText(actual).lines)
        let start = zip(old, new).prefix { $0 == $1 }.count
        let most = min(old.count, new.count) - start
        let end = zip(old.reversed(), new.reversed()).prefix(most).prefix { $0 == $1 }.count
        rows = old[..<start].map { (.both, $0) }
        compare(Array(old[start..<(old.count - end)]), Array(new[start..<(new.count - end)]))
        rows += old[(old.count - end)...].map { (.both, $0) }
    }

    private mutating func compare(_ old: [String], _ new: [String]) {
        guard old.count <= Self.comparedLimit, new.count <= Self.comparedLimit else {
            rows += old.map { (.expected, $0) } + new.map { (.actual, $0) }
            return
        }
        let difference = new.difference(from: old)
        var removed: Set<Int> = []
        var inserted: Set<Int> = []
        for change in difference {
            switch change {
            case .remove(let offset, _, _): removed.insert(offset)
            case .insert(let offset, _, _): inserted.insert(offset)
            }
        }
        var (i, j) = (0, 0)
        while i < old.count || j < new.count {
            if i < old.count, removed.contains(i) {
                rows.append((.expected, old[i]))
                i += 1
            } else if j < new.count, inserted.contains(j) {
                rows.append((.actual, new[j]))
                j += 1
            } else {
                rows.append((.both, old[i]))
                i += 1
                j += 1
            }
        }
    }

    /// The lines that differ with some around them, and what the marks mean.
    var description: String {
        let differing = rows.indices.filter { rows[$0].mark != .both }
        guard !differing.isEmpty else {
            return "    (the two read alike: what differs is not shown by their mirrors)"
        }
        var shown = Set<Int>()
        for index in differing {
            shown.formUnion((index - Self.contextLines)...(index + Self.contextLines))
        }
        var lines: [String] = []
        var hidden = 0
        for (index, row) in rows.enumerated() {
            if shown.contains(index) {
                appendHidden(&hidden, to: &lines)
                lines.append("    \(row.mark.rawValue) \(row.line)")
            } else {
                hidden += 1
            }
        }
        appendHidden(&hidden, to: &lines)
        return lines.joined(separator: "\n") + "\n\n(Expected: −, Actual: +)"
    }

    private func appendHidden(_ hidden: inout Int, to lines: inout [String]) {
        if hidden > 0 { lines.append("      … (\(hidden) equal)") }
        hidden = 0
    }
}
