/// A change to a JSON value that looks like the value (RFC 7396): a null removes a member, an
/// object is merged, anything else takes the place of what was there.
public enum MergePatch {
    /// Merges a patch into a value. O(size of the patch) lookups.
    public static func apply(_ patch: JSONValue, to target: inout JSONValue) {
        guard case .object(let changes) = patch else {
            target = patch
            return
        }
        var object = target.takeObject()
        for (key, change) in changes {
            if change.isNull {
                object[key] = nil
            } else if object.update(key, { apply(change, to: &$0) }) == nil {
                var added = JSONValue.null
                apply(change, to: &added)
                object[key] = added
            }
        }
        target = .object(object)
    }
}
