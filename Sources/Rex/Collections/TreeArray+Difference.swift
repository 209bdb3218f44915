extension TreeArray {
    /// The places where two lists may differ, in order, with at least one element that both share
    /// between any two runs. What stands before, between and after them is the same in both.
    ///
    /// One edit is one run of just the elements that came, went or changed; several edits within
    /// the same leaf (16 to 64 elements) may be one run with what lies between them. Elements that
    /// came or went before a part do not hide it: appending and removing the first is two runs.
    /// O(parts that the lists do not share): about log n for an edit.
    public func changes(since old: TreeArray) -> [RangeChange] {
        TreeDifference(from: old.root, to: root).runs
    }
}

extension TreeArray where Element: Equatable {
    /// The insertions and removals that make this list of an older one. O(parts that the lists do
    /// not share), for each of these parts what the standard library's difference takes.
    public func difference(from old: TreeArray) -> CollectionDifference<Element> {
        var steps: [CollectionDifference<Element>.Change] = []
        for run in changes(since: old) {
            let part = elements(in: run.new).difference(from: old.elements(in: run.old))
            for change in part {
                switch change {
                case .remove(let offset, let element, _):
                    steps.append(
                        .remove(
                            offset: run.old.lowerBound + offset, element: element,
                            associatedWith: nil))
                case .insert(let offset, let element, _):
                    steps.append(
                        .insert(
                            offset: run.new.lowerBound + offset, element: element,
                            associatedWith: nil))
                }
            }
        }
        return CollectionDifference(steps) ?? Array(self).difference(from: Array(old))
    }
}

extension TreeArray: DiffableSequence where Element: Encodable {}
