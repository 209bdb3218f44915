import RexProtocol

/// Two documents and a patch, a line each.
enum PatchTarget {
    static func run(_ input: [UInt8]) throws {
        var input = FuzzInput(input)
        guard let old = try? RawJSON(parsing: input.line(), depthLimit: 16).value,
            let new = try? RawJSON(parsing: input.line(), depthLimit: 16).value
        else { return }
        try checkDifference(old, new)
        guard let text = try? RawJSON(parsing: input.take(), depthLimit: 32) else { return }
        var merged = old
        MergePatch.apply(text.value, to: &merged)
        guard let patch = try? JSONPatch(text.value) else { return }
        try hold(JSONPatch(patch.raw.value) == patch, "\(patch) is written as another one")
        var once = old
        do throws(PatchError) {
            try patch.apply(to: &once)
        } catch {
            try hold(once == old, "a patch that failed changed something")
            return
        }
        try hold(!once.isDeeper(than: JSONPatch.depthLimit), "too deep after a patch")
        try checkDifference(old, once)
    }

    /// The difference of two documents, also as text, makes one of the other.
    private static func checkDifference(_ old: JSONValue, _ new: JSONValue) throws {
        let patch = JSONPatch.difference(from: old, to: new)
        try hold(patch.isEmpty == (old == new), "\(patch) between \(old) and \(new)")
        var value = old
        try JSONPatch(try RawJSON(parsing: patch.raw.bytes).value).apply(to: &value)
        try hold(value == new, "\(patch) makes \(value) of \(old), not \(new)")
    }
}
