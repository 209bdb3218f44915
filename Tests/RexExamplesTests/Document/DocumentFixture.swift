import Rex
import RexExamples
import RexProtocol

typealias Document = Stage<DocumentReducer>

extension Stage where R == DocumentReducer {
    /// A document with this value.
    convenience init(_ value: JSONValue) {
        self.init(DocumentState(value), DocumentReducer())
    }

    var value: JSONValue { state.value }
}

extension JSONPointer: ExpressibleByStringLiteral {
    /// A pointer in its text form; must be one.
    public init(stringLiteral text: String) {
        do {
            try self.init(text)
        } catch {
            preconditionFailure("\(error)")
        }
    }
}
