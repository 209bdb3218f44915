/// Finds what changed between two states of one `Encodable` type, as a patch of their JSON (RFC
/// 6902), without encoding either.
///
/// For any two states that encode with `JSONCoder`, the patch applied to the encoding of the old
/// one gives the encoding of the new one. Only what changed is encoded.
///
/// The two states are walked together through their `encode(to:)`, one level at a time, and only
/// where their bytes differ: what shares its storage is skipped before it is looked at. Arrays are
/// compared from both ends by their bytes, then by a shortest edit script; dictionaries by key;
/// `DiffableSequence` and `DiffableMap` tell themselves what they do not share; a Set, a dictionary
/// that is written as an array and a `JSONValue` are compared as JSON trees.
///
/// States are values. A class instance inside that is changed in place is the same instance in both
/// states: no comparison of the two can find that.
///
/// One `StateDiff` serves many comparisons, one after the other, and keeps its memory for the next.
/// It belongs to one owner: it is not Sendable.
public final class StateDiff<State: Encodable> {
    let walk = DiffWalk()

    /// A comparison of states of one type.
    public init() {}

    /// The patch that makes `new` of `old`. O(what does not share storage), with a look at the
    /// bytes of the elements of each plain array and dictionary that is not shared.
    ///
    /// Throws `EncodingError`, where what changed cannot be written as JSON, and what the types'
    /// own `encode(to:)` throws.
    public func patch(from old: State, to new: State) throws -> StatePatch {
        try withUnsafePointer(to: old) { old in
            try withUnsafePointer(to: new) { new in
                try walk.patch { try walk.compare(old, new) }
            }
        }
    }
}
