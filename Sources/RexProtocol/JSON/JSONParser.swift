/// A strict JSON parser with a tape that is used again and again: no allocation per text once the
/// tape has grown to the usual size.
///
/// RFC 8259 in UTF-8, with RFC 7493's refusal of duplicate names and lone surrogates. Numbers keep
/// their value: without fraction or exponent an Int64 or UInt64 (anything longer is an error),
/// otherwise the nearest Double (an overflow, or a non-zero number that becomes 0, is an error).
/// One pass, no recursion. O(n) for n bytes, and O(k log k) for an object of k unsorted names.
public final class JSONParser {
    /// The depth that protocol.md grants a frame.
    public static let standardDepthLimit = 128

    /// How deep containers may nest.
    public let depthLimit: Int

    let tape: UnsafeMutablePointer<JSONTape>
    let stack: UnsafeMutablePointer<JSONScanner.Open>

    /// Makes a parser. `depthLimit` counts containers around a value; at least 1.
    public init(depthLimit: Int = JSONParser.standardDepthLimit) {
        precondition(depthLimit > 0, "a depth limit of \(depthLimit) admits no container")
        self.depthLimit = depthLimit
        tape = .allocate(capacity: 1)
        tape.initialize(to: JSONTape(entryCapacity: 64))
        stack = .allocate(capacity: depthLimit)
    }

    deinit {
        tape.pointee.deallocate()
        tape.deallocate()
        stack.deallocate()
    }

    /// Parses one text and returns its root.
    ///
    /// The node and everything reached from it is valid until the next `parse`, while this parser
    /// lives and while `bytes` stay where they are.
    public func parse(_ bytes: UnsafeRawBufferPointer) throws(JSONError) -> JSONNode {
        guard bytes.count < Int(UInt32.max) else {
            throw error(JSONFault(reason: .length, offset: 0), bytes, .root)
        }
        let source = bytes.assumingMemoryBound(to: UInt8.self)
        let start = source.baseAddress ?? UnsafePointer(tape.pointee.text)
        tape.pointee.reset(for: start)
        var scanner = JSONScanner(
            tape: tape, start: start, count: bytes.count, stack: stack, depthLimit: depthLimit)
        do throws(JSONFault) {
            try scanner.run()
        } catch {
            throw self.error(error, bytes, scanner.pointer())
        }
        return JSONNode(tape: UnsafePointer(tape), index: 0)
    }

    /// Parses a text in an array and hands its root to `body`, where alone the node is valid.
    public func withParsed<R>(
        _ bytes: [UInt8], _ body: (JSONNode) throws -> R
    ) throws -> R {
        try bytes.withUnsafeBytes { try body(parse($0)) }
    }

    private func error(
        _ fault: JSONFault, _ bytes: UnsafeRawBufferPointer, _ pointer: JSONPointer
    ) -> JSONError {
        JSONError(
            message: fault.message(in: bytes, depthLimit: depthLimit), offset: fault.offset,
            pointer: pointer, isTooDeep: fault.reason == .depth)
    }
}
