/// Guesses at what somebody meant.
enum Spelling {
    /// Names longer than this are not compared: the cost grows with the square.
    static let lengthLimit = 64

    /// The candidate with the fewest edits, where these are at most a third of the name; nil where
    /// none is near.
    static func nearest(to name: String, among candidates: [String]) -> String? {
        guard name.utf8.count <= lengthLimit else { return nil }
        let name = Array(name.lowercased().utf8)
        var best: (candidate: String, edits: Int)?
        for candidate in candidates where candidate.utf8.count <= lengthLimit {
            let edits = edits(name, Array(candidate.lowercased().utf8))
            if edits <= max(1, max(name.count, candidate.utf8.count) / 3),
                best.map({ edits < $0.edits }) ?? true
            {
                best = (candidate, edits)
            }
        }
        return best?.candidate
    }

    /// Insertions, removals and changes of one byte from one text to another (Levenshtein).
    private static func edits(_ a: [UInt8], _ b: [UInt8]) -> Int {
        var row = Array(0...b.count)
        for (i, x) in a.enumerated() {
            var diagonal = row[0]
            row[0] = i + 1
            for (j, y) in b.enumerated() {
                let changed = diagonal + (x == y ? 0 : 1)
                diagonal = row[j + 1]
                row[j + 1] = min(changed, row[j] + 1, row[j + 1] + 1)
            }
        }
        return row[b.count]
    }
}
