import RexProtocol

/// The bounds that the document's reducer keeps; what is over one is refused.
public enum DocumentLimits {
    /// How many arrays and objects nest: what a patch grants too, so that frames can carry it.
    public static let depth = JSONPatch.depthLimit
    /// The size of the document, about that of its text.
    public static let sizeBytes = 64 << 20
    /// Operations of one `patch`: each may move all elements of a large array. What they may copy,
    /// `JSONPatch.copyBytesLimit` says.
    public static let patchOperations = 1_000
}
