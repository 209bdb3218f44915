// Writing operations, and where.
extension DiffWalk {
    /// How far the patch is written.
    struct Mark {
        let bytes: Int
        let changes: Int
    }

    var mark: Mark {
        Mark(bytes: scope.state.pointee.writer.bytes.count, changes: state.pointee.changes.count)
    }

    func emitReplace(_ value: () throws -> Void) throws {
        try emit(.replace, value)
    }

    func emitAdd(shifts: Bool = false, _ value: () throws -> Void) throws {
        try emit(.add, mayShift: shifts, value)
    }

    func emitRemove(shifts: Bool = false) throws {
        try emit(.remove, mayShift: shifts) {}
    }

    /// Writes an operation of a tree's difference below the present place.
    func emit(_ operation: JSONPatch.Operation) throws {
        let depth = state.pointee.path.count
        defer { leave(to: depth) }
        for token in operation.path.tokens { enter(token) }
        // Whether the parent is an array is not known here.
        let mayShift = operation.path.tokens.last.map { JSONPointer.index($0) != nil } ?? false
        switch operation {
        case .add(_, let value): try emit(.add, mayShift: mayShift) { try scope.encode(value) }
        case .replace(_, let value): try emit(.replace) { try scope.encode(value) }
        case .remove: try emit(.remove, mayShift: mayShift) {}
        case .move, .copy, .test:
            preconditionFailure("a difference has no operation \(operation.name)")
        }
    }

    private func emit(
        _ op: StatePatch.Change.Op, mayShift: Bool = false, _ value: () throws -> Void
    ) throws {
        try noteDifference()
        let state = state
        let out = scope.state
        out.pointee.writer.byte(state.pointee.changes.isEmpty ? 0x5B : 0x2C)
        let start = out.pointee.writer.bytes.count
        switch op {
        case .add: out.pointee.writer.literal("{\"op\":\"add\",\"path\":\"")
        case .remove: out.pointee.writer.literal("{\"op\":\"remove\",\"path\":\"")
        case .replace: out.pointee.writer.literal("{\"op\":\"replace\",\"path\":\"")
        }
        let pathStart = out.pointee.writer.bytes.count
        state.pointee.path.withUnsafeBytes { out.pointee.writer.raw($0) }
        let pathEnd = out.pointee.writer.bytes.count
        if op == .remove {
            out.pointee.writer.byte(0x22)
        } else {
            out.pointee.writer.literal("\",\"value\":")
            try write(value)
        }
        out.pointee.writer.byte(0x7D)
        state.pointee.changes.append(
            StatePatch.Change(
                op: op, mayShift: mayShift, start: start, path: pathStart..<pathEnd,
                end: out.pointee.writer.bytes.count))
    }

    /// Writes a value where the walk stands; how deep that is counts towards the limit of depth.
    private func write(_ value: () throws -> Void) throws {
        let out = scope.state
        let depth = state.pointee.path.count { $0 == UInt8(ascii: "/") }
        out.pointee.depthLimit = JSONCoder.depthLimit - depth
        defer { out.pointee.depthLimit = JSONCoder.depthLimit }
        try value()
        if out.pointee.writer.bytes.count > out.pointee.limit { throw EncodingScope.OverLimit() }
        guard !out.pointee.isTooDeep else { throw scope.tooDeep(state.pointee.path) }
    }

    /// After several changes in one container: puts the whole of it in their place where that is
    /// shorter. `whole` writes it; it is given up as soon as it is longer than the changes.
    func settle(since mark: Mark, _ whole: () throws -> Void) throws {
        let state = state
        let out = scope.state
        guard state.pointee.changes.count > mark.changes + 1 else { return }
        let end = out.pointee.writer.bytes.count
        let room = end - mark.bytes
        // The shortest replacement that there may be.
        guard room > state.pointee.path.count + StatePatch.Change.leastReplaceBytes else { return }
        out.pointee.limit = end + room
        defer { out.pointee.limit = .max }
        do {
            try emitReplace(whole)
        } catch is EncodingScope.OverLimit {
            return scope.abandon(to: end)
        }
        guard let last = state.pointee.changes.popLast() else { return }
        guard out.pointee.writer.bytes.count - end < room else { return scope.abandon(to: end) }
        state.pointee.changes.removeLast(state.pointee.changes.count - mark.changes)
        // The comma in front of it was written because there were others; it goes or stays.
        let isFirst = mark.changes == 0
        let shift = last.start - mark.bytes - 1
        out.pointee.writer.bytes.removeSubrange(mark.bytes..<last.start - 1)
        if isFirst { out.pointee.writer.bytes[mark.bytes] = 0x5B }
        state.pointee.changes.append(last.moved(by: -shift))
    }

    // MARK: Places

    /// Does something at a member.
    @inline(__always)
    func inside(_ name: String, _ body: () throws -> Void) rethrows {
        let depth = state.pointee.path.count
        enter(name)
        defer { leave(to: depth) }
        try body()
    }

    /// Does something at an element.
    func inside(_ index: Int, _ body: () throws -> Void) rethrows {
        let depth = state.pointee.path.count
        state.pointee.path.append(0x2F)
        var writer = JSONWriter()
        swap(&writer.bytes, &state.pointee.path)
        writer.int(index)
        swap(&writer.bytes, &state.pointee.path)
        defer { leave(to: depth) }
        try body()
    }

    private func enter(_ token: String) { state.pointee.path.appendPlace(token) }

    private func leave(to depth: Int) {
        state.pointee.path.removeLast(state.pointee.path.count - depth)
    }
}

extension [UInt8] {
    /// Adds a token to a JSON Pointer that stands inside the quotes of a JSON string.
    mutating func appendPlace(_ token: String) {
        append(0x2F)
        let isPlain = token.withBytes { bytes in
            for byte in bytes
            where byte < 0x20 || byte == 0x22 || byte == 0x5C || byte == 0x2F || byte == 0x7E {
                return false
            }
            append(contentsOf: bytes)
            return true
        }
        if isPlain { return }
        var pointer: [UInt8] = []
        for byte in token.utf8 {
            switch byte {
            case 0x7E: pointer += [0x7E, 0x30]
            case 0x2F: pointer += [0x7E, 0x31]
            default: pointer.append(byte)
            }
        }
        var writer = JSONWriter()
        pointer.withUnsafeBytes { writer.string(utf8: $0) }
        append(contentsOf: writer.bytes[1..<writer.bytes.count - 1])
    }
}
