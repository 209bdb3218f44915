/// Where a container writes.
struct Place {
    let depth: Int32
    let token: Int32
}

// Opening, continuing, closing.
extension EncodingScope {
    /// Opens a container for an encoder, or continues the one it opened before (a subclass and its
    /// superclass write into one object).
    func open(_ kind: Level.Kind, at place: Place) {
        let depth = Int(place.depth)
        if state.pointee.levels.count > depth {
            if state.pointee.levels[depth].token == place.token { return }
            close(to: depth)
        }
        let level = Level(
            kind: kind, token: place.token, markBase: state.pointee.marks.count,
            start: state.pointee.writer.bytes.count)
        state.pointee.writer.byte(level.isList ? 0x5B : 0x7B)
        state.pointee.levels.append(level)
        if depth >= state.pointee.depthLimit { state.pointee.isTooDeep = true }
    }

    /// Opens a container inside another one, whose member has just begun.
    func openNested(_ kind: Level.Kind) -> Place {
        state.pointee.token &+= 1
        let place = Place(
            depth: Int32(state.pointee.levels.count), token: state.pointee.token)
        open(kind, at: place)
        return place
    }

    /// Begins a member of an open object: closes what was open inside, writes comma and name.
    func begin(_ name: String, at place: Place) throws {
        try resume(place, name)
        state.pointee.writer.string(name)
        state.pointee.writer.byte(0x3A)
    }

    /// Begins an element of an open array.
    func beginElement(at place: Place) throws { try resume(place, "") }

    private func resume(_ place: Place, _ name: String) throws {
        let depth = Int(place.depth)
        let state = state
        // First of all: a container that could not be begun for this reason has no place either.
        if state.pointee.writer.bytes.count > state.pointee.limit { throw OverLimit() }
        guard depth < state.pointee.levels.count, state.pointee.levels[depth].token == place.token
        else {
            throw invalid(name, "a container was used after the value outside it had gone on")
        }
        if state.pointee.levels.count > depth &+ 1 { close(to: depth &+ 1) }
        fill()
        if state.pointee.levels[depth].isEmpty {
            state.pointee.levels[depth].isEmpty = false
        } else {
            state.pointee.writer.byte(0x2C)
        }
        if state.pointee.levels[depth].isMarked {
            state.pointee.marks.append(Mark(start: state.pointee.writer.bytes.count, name: name))
        }
    }

    /// Puts an empty object where a `superEncoder` was taken and nothing written.
    @inline(__always)
    private func fill() {
        if state.pointee.writer.bytes.last == 0x3A { state.pointee.writer.literal("{}") }
    }

    /// Closes all containers that are deeper.
    func close(to depth: Int) {
        fill()
        while state.pointee.levels.count > depth, let level = state.pointee.levels.popLast() {
            if level.isMarked { arrange(level) }
            switch level.kind {
            case .object, .sortedObject: state.pointee.writer.byte(0x7D)
            case .array, .sortedArray: state.pointee.writer.byte(0x5D)
            case .payload: break
            }
        }
    }

    /// Puts the members of a container in their order.
    private func arrange(_ level: Level) {
        if case .payload = level.kind, state.pointee.marks[level.markBase].name != "_0" {
            state.pointee.marks.removeSubrange(level.markBase...)
            return state.pointee.writer.byte(0x7D)
        }
        let marks = Array(state.pointee.marks[level.markBase...])
        state.pointee.marks.removeSubrange(level.markBase...)
        let end = state.pointee.writer.bytes.count
        /// The bytes of a number of members from one on, without the comma behind them.
        func range(_ first: Int, _ count: Int) -> Range<Int> {
            let next = first + count
            return marks[first].start..<(next < marks.count ? marks[next].start - 1 : end)
        }
        switch level.kind {
        case .object, .array: break
        case .sortedObject:
            let order = marks.indices.sorted { marks[$0].name.byteOrder(to: marks[$1].name) < 0 }
            if order.elementsEqual(marks.indices) { return }
            rearrange(order.map { range($0, 1) }, in: level)
        case .sortedArray(let stride):
            let firsts = Array(Swift.stride(from: 0, to: marks.count, by: stride))
            let order = state.pointee.writer.bytes.withUnsafeBytes { bytes in
                firsts.sorted { a, b in
                    Bytes.order(
                        UnsafeRawBufferPointer(rebasing: bytes[range(a, 1)]),
                        UnsafeRawBufferPointer(rebasing: bytes[range(b, 1)])) < 0
                }
            }
            if order == firsts { return }
            rearrange(order.map { range($0, stride) }, in: level)
        case .payload:
            guard marks.enumerated().allSatisfy({ PayloadKey.index($1.name) == $0 }) else {
                return state.pointee.writer.byte(0x7D)
            }
            state.pointee.writer.bytes[level.start] = 0x5B
            // Each name is written as "_0": with two quotes and a colon.
            rearrange(
                marks.indices.map { index in
                    let member = range(index, 1)
                    return member.lowerBound + marks[index].name.utf8.count + 3..<member.upperBound
                }, in: level)
            state.pointee.writer.byte(0x5D)
        }
    }

    /// Writes the members of a container anew: these parts of it in this order.
    private func rearrange(_ ranges: [Range<Int>], in level: Level) {
        var arranged: [UInt8] = []
        for range in ranges {
            if !arranged.isEmpty { arranged.append(0x2C) }
            arranged.append(contentsOf: state.pointee.writer.bytes[range])
        }
        state.pointee.writer.bytes.replaceSubrange((level.start + 1)..., with: arranged)
    }
}
