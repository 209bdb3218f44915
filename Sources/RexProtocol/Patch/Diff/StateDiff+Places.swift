import Rex

// One place of a state, named by a JSON Pointer.
extension StateDiff {
    /// The patch at a place: its paths begin there. Nil where nothing changed.
    ///
    /// `whole` is the patch from `old` to `new` at the root. What it does at and below the place is
    /// cut out of it, O(operations); only where something above the place changed, or an array was
    /// shifted on the way to it, are the two values there compared. A place that does not exist
    /// reads as `null`.
    public func patch(
        at place: JSONPointer, of whole: StatePatch, from old: State, to new: State
    ) throws -> RawJSON? {
        switch whole.cut(at: place) {
        case .none: return nil
        case .patch(let patch): return patch
        case .undecided:
            let patch = try walk.patch {
                try walk.compare(
                    walk.find(place.tokens[...], in: old), walk.find(place.tokens[...], in: new))
            }
            return patch.isEmpty ? nil : patch.raw
        }
    }

    /// The JSON of what is at a place of a state; nil where there is nothing. Encodes nothing else:
    /// O(what is there), and the parts of each value on the way.
    public func json(of state: State, at place: JSONPointer) throws -> RawJSON? {
        try walk.find(place.tokens[...], in: state).json()
    }
}

/// What is at a place.
enum FoundValue {
    case nothing
    case value(any Encodable)
    case tree(JSONValue)

    func json() throws -> RawJSON? {
        switch self {
        case .nothing: nil
        case .value(let value): try Self.json(value)
        case .tree(let tree): RawJSON(tree)
        }
    }

    fileprivate func tree() throws -> JSONValue {
        switch self {
        case .nothing: .null
        case .value(let value): try Self.json(value).value
        case .tree(let tree): tree
        }
    }

    private static func json<T: Encodable>(_ value: T) throws -> RawJSON {
        try RawJSON(encoding: value)
    }

    fileprivate init(_ tree: JSONValue?) { self = tree.map { .tree($0) } ?? .nothing }
}

extension DiffWalk {
    func compare(_ old: FoundValue, _ new: FoundValue) throws {
        if case .value(let a) = old, case .value(let b) = new, type(of: a) == type(of: b) {
            try compare(a, with: b)
        } else {
            try compareTrees(old.tree(), new.tree())
        }
    }

    private func compare<T: Encodable>(_ old: T, with new: any Encodable) throws {
        guard let new = new as? T else { preconditionFailure("\(T.self) is not its own type") }
        try withUnsafePointer(to: old) { a in
            try withUnsafePointer(to: new) { b in try compare(a, b) }
        }
    }

    /// What is at a place of a value.
    func find<T: Encodable>(_ tokens: ArraySlice<String>, in value: T) throws -> FoundValue {
        guard let token = tokens.first else { return .value(value) }
        let rest = tokens.dropFirst()
        switch kind(of: T.self) {
        case .plain, .leaf: return .nothing
        case .json:
            let tree = unsafeBitCast(value, to: JSONValue.self)
            return FoundValue(tree.value(at: JSONPointer(tokens: Array(tokens))))
        case .tree:
            let tree = try JSONCoder.value(of: value)
            return FoundValue(tree.value(at: JSONPointer(tokens: Array(tokens))))
        case .list(let type):
            guard let index = JSONPointer.index(token) else { return .nothing }
            return try withUnsafePointer(to: value) {
                try find(rest, in: type.element($0, at: index))
            }
        case .map(let type):
            return try withUnsafePointer(to: value) {
                try find(rest, in: type.value($0, named: token))
            }
        case .sequence:
            guard let index = JSONPointer.index(token),
                let sequence = value as? any DiffableSequence
            else { return .nothing }
            return try find(rest, in: sequence.element(at: index))
        case .sharedMap:
            return try find(rest, in: (value as? any DiffableMap)?.member(named: token))
        case .composite:
            let depth = descend()
            defer { state.pointee.depth = depth }
            let capture = state.pointee.levels[depth].new
            try capture.take(value)
            return try find(tokens, node: Capture.root, of: capture)
        }
    }

    private func find(
        _ tokens: ArraySlice<String>, in value: (any Encodable)?
    ) throws -> FoundValue {
        guard let value else { return .nothing }
        return try find(tokens, opened: value)
    }

    private func find<T: Encodable>(
        _ tokens: ArraySlice<String>, opened value: T
    ) throws -> FoundValue { try find(tokens, in: value) }

    private func find(
        _ tokens: ArraySlice<String>, node index: Int32, of capture: Capture
    ) throws -> FoundValue {
        let node = capture.node(index)
        if node.kind == .single { return try find(tokens, entry: node.first, of: capture) }
        guard let token = tokens.first else {
            return .tree(try tree { try write(node: index, of: capture) })
        }
        let entry: Int32?
        if node.kind == .array {
            entry = JSONPointer.index(token).flatMap {
                capture.entries(of: index).dropFirst($0).first { _ in true }
            }
        } else {
            entry = capture.entries(of: index).first {
                capture.entry($0).pointee.name.hasSameBytes(as: token)
            }
        }
        guard let entry else { return .nothing }
        return try find(tokens.dropFirst(), entry: entry, of: capture)
    }

    private func find(
        _ tokens: ArraySlice<String>, entry: Int32, of capture: Capture
    ) throws -> FoundValue {
        let content = capture.entry(entry).pointee.content
        switch content {
        case .value(let kept): return try find(tokens, kept.type, kept.pointer)
        case .node(let node): return try find(tokens, node: node, of: capture)
        default:
            return tokens.isEmpty ? .tree(try tree { try write(content, of: capture) }) : .nothing
        }
    }

    private func find<T: Encodable>(
        _ tokens: ArraySlice<String>, _ type: T.Type, _ pointer: UnsafeRawPointer
    ) throws -> FoundValue {
        try find(tokens, in: pointer.assumingMemoryBound(to: T.self).pointee)
    }
}

extension DiffableSequence {
    fileprivate func element(at index: Int) -> (any Encodable)? {
        index < count ? elements(in: index..<index + 1).first : nil
    }
}

extension DiffableMap {
    fileprivate func member(named name: String) -> (any Encodable)? { value(named: name) }
}
