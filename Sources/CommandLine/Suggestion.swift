/// The nearest of some names to one that is not among them.
package enum Suggestion {
    /// The nearest name, or nil where none is near enough to be meant: at most a third of the
    /// letters (two of a short word, one of a tiny one) may be wrong, swapped, missing or too many;
    /// a prefix counts as near.
    package static func nearest(to word: String, among names: [String]) -> String? {
        let bare = word.drop { $0 == "-" }
        guard !bare.isEmpty else { return nil }
        var best: (name: String, distance: Int)?
        for name in names {
            let other = name.drop { $0 == "-" }
            let distance =
                other.hasPrefix(bare) ? 1 : distance(Array(bare), Array(other))
            guard distance <= (bare.count < 4 ? 1 : max(2, bare.count / 3)) else { continue }
            if distance < best?.distance ?? .max { best = (name, distance) }
        }
        return best?.name
    }

    /// `; did you mean X?` or nothing.
    package static func question(_ word: String, among names: [String]) -> String {
        nearest(to: word, among: names).map { "; did you mean \($0)?" } ?? ""
    }

    /// Damerau–Levenshtein (adjacent swaps count one). O(n·m) for words of a command line.
    private static func distance(_ a: [Character], _ b: [Character]) -> Int {
        var rows = [[Int]](repeating: [Int](repeating: 0, count: b.count + 1), count: a.count + 1)
        for i in 0...a.count { rows[i][0] = i }
        for j in 0...b.count { rows[0][j] = j }
        guard !a.isEmpty, !b.isEmpty else { return max(a.count, b.count) }
        for i in 1...a.count {
            for j in 1...b.count {
                let change = rows[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1)
                rows[i][j] = min(change, rows[i - 1][j] + 1, rows[i][j - 1] + 1)
                if i > 1, j > 1, a[i - 1] == b[j - 2], a[i - 2] == b[j - 1] {
                    rows[i][j] = min(rows[i][j], rows[i - 2][j - 2] + 1)
                }
            }
        }
        return rows[a.count][b.count]
    }
}
