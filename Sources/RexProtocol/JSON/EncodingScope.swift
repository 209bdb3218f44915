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
        /// More containers were opened than may nest; opening one cannot throw.
        var isTooDeep = false
        /// How deep containers may nest here.
        var depthLimit = JSONCoder.depthLimit
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
        guard !state.pointee.isTooDeep else {
            throw tooDeep(value)
        }
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
            if state.pointee.limit != .max {
                let room = state.pointee.limit - state.pointee.writer.bytes.count
                guard value.byteEstimate(upTo: room) <= room else { throw OverLimit() }
            }
            let room = state.pointee.depthLimit - state.pointee.levels.count
            guard !value.isDeeper(than: room) else {
                throw tooDeep(value)
            }
            guard value.isFinite else { throw invalid(value, "a number is not finite") }
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

    func tooDeep(_ value: Any) -> EncodingError {
        invalid(value, "nested deeper than \(JSONCoder.depthLimit)")
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
