import FoundationEssentials
import Rex

/// What one encoding shares: the writer and the containers that are open in it.
///
/// Nothing is kept as a tree. A container is closed when something outside it is written or when
/// its value ends; so nested containers may be filled one after the other, not in turns.
final class EncodingScope {
    /// A container that is open.
    struct Level {
        enum Kind {
            case object, array
            /// A dictionary: its members are put in the order of their names.
            case sortedObject
            /// A Set (1) or a dictionary with other keys (2): the elements, or pairs of them, are
            /// put in the order of their bytes.
            case sortedArray(stride: Int)
            /// The values of an action's case: an object that becomes an array where none has a
            /// label.
            case payload
        }

        let kind: Kind
        /// The encoder that opened it; a container of another one must not write here.
        let token: Int32
        var isEmpty = true
        /// Where its members begin among the marks.
        let markBase: Int
        /// Its opening bracket.
        let start: Int

        var isMarked: Bool {
            switch kind {
            case .object, .array: false
            default: true
            }
        }
        var isList: Bool {
            switch kind {
            case .array, .sortedArray: true
            default: false
            }
        }
    }

    /// Where a member of a container begins that is put in order at its end.
    struct Mark {
        let start: Int
        let name: String
    }

    /// Not inline in the class: each access to a class's property would be checked for exclusivity.
    struct State {
        var writer: JSONWriter
        var levels: [Level] = []
        var marks: [Mark] = []
        var token: Int32 = 0
        var fault: EncodingError?
        /// Beyond this many bytes of the writer an encoding gives up with `OverLimit`.
        var limit = Int.max
    }

    /// The value takes more bytes than it may. What is written so far is a part of it.
    struct OverLimit: Error {}

    let state: UnsafeMutablePointer<State>
    /// Where in the writer this encoding begins.
    let base: Int
    /// Whether Actionable types are written in the action form of the wire.
    let writesActions: Bool

    init(writer: consuming JSONWriter, writesActions: Bool) {
        base = writer.bytes.count
        self.writesActions = writesActions
        state = .allocate(capacity: 1)
        state.initialize(to: State(writer: writer))
    }

    deinit {
        state.deinitialize(count: 1)
        state.deallocate()
    }

    /// Gives the writer back.
    func takeWriter() -> JSONWriter {
        let writer = state.pointee.writer
        state.pointee.writer = JSONWriter()
        return writer
    }

    /// Writes one value whole.
    func encode<T: Encodable>(_ value: T) throws {
        if T.self == String.self {
            return state.pointee.writer.string(unsafeBitCast(value, to: String.self))
        }
        if T.self == Int.self {
            return state.pointee.writer.int(unsafeBitCast(value, to: Int.self))
        }
        if try encodeKnown(value) { return }
        let depth = state.pointee.levels.count
        let start = state.pointee.writer.bytes.count
        state.pointee.token &+= 1
        let place = Place(depth: Int32(depth), token: state.pointee.token)
        if writesActions, T.self is any Actionable.Type {
            try value.encode(to: ActionTreeEncoder(scope: self, place: place))
        } else {
            let stride = (T.self as? any UnorderedContent.Type)?.stride ?? 0
            try value.encode(to: TreeEncoder(scope: self, place: place, stride: stride))
        }
        close(to: depth)
        if state.pointee.writer.bytes.count == start { state.pointee.writer.literal("{}") }
    }

    /// Writes the types that have a form of their own on the wire.
    private func encodeKnown<T: Encodable>(_ value: T) throws -> Bool {
        // Equal types, so the bits are the value; a cast would cost a runtime call.
        if T.self == JSONValue.self {
            let value = unsafeBitCast(value, to: JSONValue.self)
            guard !value.isDeeper(than: JSONCoder.depthLimit) else {
                throw invalid(value, "nested deeper than \(JSONCoder.depthLimit)")
            }
            guard value.isFinite else { throw invalid(value, "a number is not finite") }
            if state.pointee.limit != .max {
                let room = state.pointee.limit - state.pointee.writer.bytes.count
                guard value.byteEstimate(upTo: room) <= room else { throw OverLimit() }
            }
            state.pointee.writer.value(value)
        } else if T.self == RawJSON.self {
            state.pointee.writer.raw(unsafeBitCast(value, to: RawJSON.self))
        } else if T.self == Date.self {
            let date = unsafeBitCast(value, to: Date.self)
            guard let text = WireTime.text(date) else {
                throw invalid(date, "a time outside the years 0 to 9999 has no RFC 3339 form")
            }
            state.pointee.writer.string(text)
        } else if T.self == Data.self {
            state.pointee.writer.string(unsafeBitCast(value, to: Data.self).base64EncodedString())
        } else if T.self == UUID.self {
            state.pointee.writer.string(unsafeBitCast(value, to: UUID.self).uuidString)
        } else if T.self == URL.self {
            state.pointee.writer.string(unsafeBitCast(value, to: URL.self).absoluteString)
        } else if T.self == Decimal.self {
            try decimal(unsafeBitCast(value, to: Decimal.self))
        } else {
            return false
        }
        return true
    }

    /// A number where a reader of 64-bit integers and Doubles gets exactly this value back from its
    /// shortest text, a string of its digits otherwise.
    private func decimal(_ value: Decimal) throws {
        guard !value.isNaN else { throw invalid(value, "not a number has no JSON form") }
        let text = value.description
        let isExact =
            text.contains(".")
            ? Double(text).flatMap { Decimal(string: $0.description) } == value
            : Int64(text) != nil || UInt64(text) != nil
        if isExact {
            text.withBytes { state.pointee.writer.raw($0) }
        } else {
            state.pointee.writer.string(text)
        }
    }

    func double(_ value: Double) throws {
        guard value.isFinite else { throw invalid(value, "\(value) has no JSON form") }
        state.pointee.writer.double(value)
    }

    func float(_ value: Float) throws {
        guard value.isFinite else { throw invalid(value, "\(value) has no JSON form") }
        if let int = Int32(exactly: value) {
            state.pointee.writer.int(Int(int))
        } else {
            value.description.withBytes { state.pointee.writer.raw($0) }
        }
    }

    func invalid(_ value: Any, _ message: String) -> EncodingError {
        .invalidValue(value, .init(codingPath: codingPath, debugDescription: message))
    }

    /// The place that is being written, read off what is written so far. O(bytes).
    var codingPath: [any CodingKey] {
        let parser = JSONParser(depthLimit: JSONCoder.depthLimit)
        return state.pointee.writer.bytes[base...].withUnsafeBytes { bytes in
            do throws(JSONError) {
                _ = try parser.parse(bytes)
                return []
            } catch {
                return error.pointer.tokens.map { JSONKey($0) }
            }
        }
    }
}

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
        guard depth < state.pointee.levels.count, state.pointee.levels[depth].token == place.token
        else {
            throw invalid(name, "a container was used after the value outside it had gone on")
        }
        if state.pointee.writer.bytes.count > state.pointee.limit { throw OverLimit() }
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

/// The collections whose order Swift does not fix.
protocol UnorderedContent {
    /// How many elements of the list belong together.
    static var stride: Int { get }
}

extension Set: UnorderedContent {
    static var stride: Int { 1 }
}

extension Dictionary: UnorderedContent {
    static var stride: Int { 2 }
}

extension JSONValue {
    /// Whether all numbers are finite. O(size).
    var isFinite: Bool {
        switch self {
        case .double(let value): value.isFinite
        case .array(let values): values.allSatisfy(\.isFinite)
        case .object(let object): object.allSatisfy(\.value.isFinite)
        default: true
        }
    }
}
