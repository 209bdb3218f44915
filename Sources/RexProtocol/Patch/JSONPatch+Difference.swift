// The changes that lead from one value to another.
extension JSONPatch {
    /// A patch of `add`, `remove` and `replace` that makes `new` of `old`.
    ///
    /// What shares storage is skipped without a look. Objects are compared by name; arrays by their
    /// common beginning and end and, between these, by a shortest edit script over equal elements
    /// (Myers), as long as it needs at most `editLimit` edits; an element that changed inside is
    /// descended into. Where the patch of a container would be larger than the container, that is
    /// replaced. O(size of what does not share storage), times `editLimit` at worst.
    public static func difference(from old: JSONValue, to new: JSONValue) -> JSONPatch {
        var difference = Difference()
        difference.compare(old, new)
        return JSONPatch(difference.operations)
    }

    /// The most insertions and removals that a shortest script for one array is searched for;
    /// beyond it the elements that each list holds exactly once are the fixed points.
    public static let editLimit = 128
    /// The most pairs of removed and added elements that are compared to find out which element
    /// changed into which; beyond it they are paired in order.
    public static let pairLimit = 1_024
}

/// A comparison under way.
private struct Difference {
    /// About what an operation costs besides its path and its value, in bytes.
    static let operationBytes = 32

    private(set) var operations: [JSONPatch.Operation] = []
    /// About how many bytes the operations have.
    private var bytes = 0
    private var path: [String] = []
    private var pathBytes = 0

    mutating func compare(_ old: JSONValue, _ new: JSONValue) {
        let start = (operations: operations.count, bytes: bytes)
        switch (old, new) {
        case (.object(let a), .object(let b)):
            if a.sharesStorage(with: b) { return }
            compare(a, b)
        case (.array(let a), .array(let b)):
            if a.sharesStorage(with: b) { return }
            compare(a, b)
        default:
            if old != new { emitReplace(new) }
            return
        }
        guard operations.count > start.operations + 1 else { return }
        // Several changes: one replacement may be smaller.
        let patchBytes = bytes - start.bytes
        let whole = pathBytes + Self.operationBytes
        if patchBytes > whole + new.byteEstimate(upTo: patchBytes - whole) {
            operations.removeSubrange(start.operations...)
            bytes = start.bytes
            emitReplace(new)
        }
    }

    private mutating func compare(_ a: JSONObject, _ b: JSONObject) {
        var i = 0
        var j = 0
        while i < a.count || j < b.count {
            let order =
                i == a.count ? 1 : j == b.count ? -1 : a[i].key.byteOrder(to: b[j].key)
            if order < 0 {
                inside(a[i].key) { $0.emitRemove() }
                i += 1
            } else if order > 0 {
                inside(b[j].key) { $0.emitAdd(b[j].value) }
                j += 1
            } else {
                inside(a[i].key) { $0.compare(a[i].value, b[j].value) }
                i += 1
                j += 1
            }
        }
    }

    private mutating func compare(_ a: [JSONValue], _ b: [JSONValue]) {
        let shorter = min(a.count, b.count)
        var prefix = 0
        while prefix < shorter, a[prefix] == b[prefix] { prefix += 1 }
        var suffix = 0
        while suffix < shorter - prefix, a[a.count - 1 - suffix] == b[b.count - 1 - suffix] {
            suffix += 1
        }
        let steps = ArraySteps.between(
            a[prefix..<(a.count - suffix)], b[prefix..<(b.count - suffix)])
        // From the end to the beginning, so that the indices of what is still to come hold.
        for step in steps.reversed() {
            switch step {
            case .change(let i, let j):
                inside(String(i)) { $0.compare(a[i], b[j]) }
            case .remove(let i):
                inside(String(i)) { $0.emitRemove() }
            case .insert(let elements, let i):
                for (offset, j) in elements.enumerated() {
                    inside(String(i + offset)) { $0.emitAdd(b[j]) }
                }
            }
        }
    }

    private mutating func inside(_ token: String, _ body: (inout Difference) -> Void) {
        path.append(token)
        pathBytes += token.utf8.count + 1
        body(&self)
        path.removeLast()
        pathBytes -= token.utf8.count + 1
    }

    private mutating func emitReplace(_ value: JSONValue) {
        emit(.replace(path: JSONPointer(tokens: path), value: value), value)
    }

    private mutating func emitAdd(_ value: JSONValue) {
        emit(.add(path: JSONPointer(tokens: path), value: value), value)
    }

    private mutating func emitRemove() {
        emit(.remove(path: JSONPointer(tokens: path)), nil)
    }

    private mutating func emit(_ operation: JSONPatch.Operation, _ value: JSONValue?) {
        operations.append(operation)
        bytes += pathBytes + Self.operationBytes + (value?.byteEstimate(upTo: .max) ?? 0)
    }
}
