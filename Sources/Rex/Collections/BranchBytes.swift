/// The branches of a row of nodes as bytes, whatever the elements are.
///
/// The difference is asked for through a protocol, so its code is not made for one element type,
/// and each touch of a generic value would cost many times the comparison of two addresses. A
/// branch begins with its node: the count, then the address of the elements and that of the
/// children, of which one is that of an empty array, the same everywhere. A test checks that.
struct BranchBytes {
    private let base: UnsafeRawPointer
    private let stride: Int

    /// The bytes must outlive this.
    init(_ bytes: UnsafeRawBufferPointer, stride: Int) {
        // A row is never empty, so there is an address.
        base = bytes.baseAddress ?? UnsafeRawPointer(bitPattern: 1).unsafelyUnwrapped
        self.stride = stride
    }

    private func word(_ index: Int, _ place: Int) -> Int {
        (base + index &* stride + place &* MemoryLayout<Int>.stride).loadUnaligned(as: Int.self)
    }

    /// How many elements are under a branch.
    func count(_ index: Int) -> Int { word(index, 0) }

    /// How many elements are under a range of branches.
    func count(_ range: Range<Int>) -> Int {
        var sum = 0
        for index in range { sum &+= word(index, 0) }
        return sum
    }

    /// A number that only branches with the same node have.
    func identity(_ index: Int) -> Int { word(index, 1) ^ word(index, 2) }

    /// Whether a branch has the same node as another one.
    func isIdentical(_ index: Int, to other: BranchBytes, _ otherIndex: Int) -> Bool {
        identity(index) == other.identity(otherIndex) && count(index) == other.count(otherIndex)
    }
}
