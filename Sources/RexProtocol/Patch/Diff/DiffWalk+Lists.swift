import Rex

// Lists: what both begin and end with, then an edit script over what is between.
extension DiffWalk {
    func compareLists<Pairs: ListPairs>(_ pairs: Pairs, _ whole: () throws -> Void) throws {
        let mark = mark
        try compareLists(pairs, offset: 0)
        try settle(since: mark, whole)
    }

    /// Compares two lists that are a part of larger ones, which both begin at an index of the old
    /// one: those behind them were written already.
    func compareLists<Pairs: ListPairs>(_ pairs: Pairs, offset: Int = 0) throws {
        let prefix = pairs.identicalPrefix
        let suffix = pairs.identicalSuffix(limit: min(pairs.oldCount, pairs.newCount) - prefix)
        let old = prefix..<pairs.oldCount - suffix
        let new = prefix..<pairs.newCount - suffix
        if state.pointee.isProbing {
            if old.count != new.count { try noteDifference() }
            for (i, j) in zip(old, new) { try pairs.compare(i, j) }
            return
        }
        // From the end to the beginning, so that the indices of what is still to come hold.
        for step in try steps(pairs, old, new).reversed() {
            switch step {
            case .change(let i, let j):
                if !pairs.isIdentical(i, j) {
                    try inside(offset + i) { try pairs.compare(i, j) }
                }
            case .remove(let i):
                try inside(offset + i) { try emitRemove(shifts: true) }
            case .insert(let elements, let i):
                for (place, j) in elements.enumerated() {
                    try inside(offset + i + place) {
                        try emitAdd(shifts: true) { try pairs.writeNew(j) }
                    }
                }
            }
        }
    }

    private func steps<Pairs: ListPairs>(
        _ pairs: Pairs, _ a: Range<Int>, _ b: Range<Int>
    ) throws -> [ArraySteps.Step] {
        if let steps = ArraySteps.obvious(a, b) { return steps }
        // Nothing is cheap any more: elements may be equal in other memory.
        var (old, new) = (a, b)
        while !old.isEmpty, !new.isEmpty, try isSame(pairs, old.lowerBound, new.lowerBound) {
            (old, new) = (old.dropFirst(), new.dropFirst())
        }
        while !old.isEmpty, !new.isEmpty, try isSame(pairs, old.upperBound - 1, new.upperBound - 1)
        {
            (old, new) = (old.dropLast(), new.dropLast())
        }
        if let steps = ArraySteps.obvious(old, new) { return steps }
        let script = try ArraySteps.matches(old.count, new.count) { i, j throws in
            try isSame(pairs, old.lowerBound + i, new.lowerBound + j)
        }
        var steps: [ArraySteps.Step] = []
        try ArraySteps.forEachRun(
            between: script ?? pairs.anchors(old, new), old.count, new.count
        ) { i, j throws in
            let x = old.lowerBound + i.lowerBound..<old.lowerBound + i.upperBound
            let y = new.lowerBound + j.lowerBound..<new.lowerBound + j.upperBound
            steps += try ArraySteps.obvious(x, y) ?? thorough(pairs, x, y, areUnlike: script != nil)
        }
        return steps
    }

    private func isSame<Pairs: ListPairs>(_ pairs: Pairs, _ i: Int, _ j: Int) throws -> Bool {
        if pairs.isSame(i, j) { return true }
        return try isSame { try pairs.compare(i, j) }
    }

    /// The steps that are found by encoding the elements: which changed into which.
    private func thorough<Pairs: ListPairs>(
        _ pairs: Pairs, _ a: Range<Int>, _ b: Range<Int>, areUnlike: Bool
    ) throws -> [ArraySteps.Step] {
        if areUnlike, a.count * b.count > JSONPatch.pairLimit { return ArraySteps.inOrder(a, b) }
        let old = try a.map { i in try tree { try pairs.writeOld(i) } }
        let new = try b.map { j in try tree { try pairs.writeNew(j) } }
        let steps =
            areUnlike ? ArraySteps.run(old[...], new[...]) : ArraySteps.between(old[...], new[...])
        return steps.map { step in
            switch step {
            case .change(let i, let j): .change(a.lowerBound + i, b.lowerBound + j)
            case .remove(let i): .remove(a.lowerBound + i)
            case .insert(let range, let i):
                .insert(
                    b.lowerBound + range.lowerBound..<b.lowerBound + range.upperBound,
                    at: a.lowerBound + i)
            }
        }
    }
}

// Collections that know what they share.
extension DiffWalk {
    func compareSequences<S: DiffableSequence>(
        _ type: S.Type, _ old: UnsafeRawPointer, _ new: UnsafeRawPointer
    ) throws {
        let old = old.assumingMemoryBound(to: S.self)
        let new = new.assumingMemoryBound(to: S.self)
        let mark = mark
        // From the end to the beginning: see above.
        for change in new.pointee.changes(since: old.pointee).reversed() {
            let before = old.pointee.elements(in: change.old)
            let after = new.pointee.elements(in: change.new)
            try before.withUnsafeBufferPointer { a in
                try after.withUnsafeBufferPointer { b in
                    try compareLists(
                        BufferPairs(walk: self, old: a, new: b), offset: change.old.lowerBound)
                }
            }
        }
        try settle(since: mark) { try scope.encode(new.pointee) }
    }

    func compareSharedMaps<M: DiffableMap>(
        _ type: M.Type, _ old: UnsafeRawPointer, _ new: UnsafeRawPointer
    ) throws {
        let old = old.assumingMemoryBound(to: M.self)
        let new = new.assumingMemoryBound(to: M.self)
        let mark = mark
        try new.pointee.forEachChange(since: old.pointee) { name, before, after throws in
            try inside(name) { try compareMember(before, after) }
        }
        try settle(since: mark) { try scope.encode(new.pointee) }
    }
}
