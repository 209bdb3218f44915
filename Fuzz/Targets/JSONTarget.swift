import RexProtocol

/// Any text: refused with its place, or a value that the writer writes and the parser reads again.
enum JSONTarget {
    static func run(_ input: [UInt8]) throws {
        let parser = JSONParser(depthLimit: 16)
        let value: JSONValue
        do {
            value = try parser.withParsed(input) { node in
                try check(node)
                return node.value
            }
        } catch let error as JSONError {
            try hold((0...input.count).contains(error.offset), "an error at \(error.offset)")
            try hold(JSONPointer(error.pointer.description) == error.pointer, "\(error.pointer)")
            return
        }
        try hold(!value.isDeeper(than: 16), "deeper than the limit")
        let again = try RawJSON(parsing: RawJSON(value).bytes).value
        try hold(again == value, "\(again) is not \(value)")
        try hold(again.hashValue == value.hashValue, "equal values with two hashes: \(value)")
        try hold(again.canonical == value.canonical, "two canonical texts of \(value)")
        // What is read as typed values is what was there.
        let coded = try JSONCoder.decode(JSONValue.self, from: RawJSON(value))
        try hold(coded == value, "\(coded) was decoded and is not \(value)")
    }

    /// A node as it is, without white space, is the same text as its value's.
    private static func check(_ node: JSONNode) throws {
        var writer = JSONWriter()
        writer.node(node)
        let again = try RawJSON(parsing: writer.bytes).value
        try hold(again == node.value, "the text of a node is another value")
    }
}

/// A pointer, and what it leads to in a tree and on a tape.
enum PointerTarget {
    static func run(_ input: [UInt8]) throws {
        var input = FuzzInput(input)
        let text = String(decoding: input.line(), as: UTF8.self)
        guard let pointer = try? JSONPointer(text) else { return }
        try hold(pointer.description.utf8.elementsEqual(text.utf8), "\(pointer) is not \(text)")
        try hold(pointer.isPrefix(of: pointer.appending("x")), "\(pointer) is no prefix")
        let parser = JSONParser()
        do {
            try parser.withParsed(input.take()) { node in
                let (tape, tree) = (node.node(at: pointer)?.value, node.value.value(at: pointer))
                try hold(tape == tree, "\(pointer) leads to two places")
            }
        } catch is JSONError {
            return
        }
    }
}
