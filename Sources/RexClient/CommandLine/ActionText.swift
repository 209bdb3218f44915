import RexCommandLine
import RexProtocol

/// Actions as they are written by hand.
package enum ActionText {
    /// `{"type":…}` with its payload, where there is one.
    package static func action(_ type: String, _ payload: RawJSON?) -> RawJSON {
        var writer = JSONWriter(capacity: 64)
        writer.literal("{\"type\":")
        writer.string(type)
        if let payload {
            writer.literal(",\"payload\":")
            writer.raw(payload)
        }
        writer.literal("}")
        return RawJSON(writer)
    }

    /// Reads a line: `{"type":…}`, or `TYPE [PAYLOAD]` in words.
    package static func parse(_ line: String) throws(UsageError) -> RawJSON {
        if line.drop(while: \.isWhitespace).first == "{" {
            do throws(JSONError) {
                return try RawJSON(parsing: line)
            } catch {
                throw UsageError("not JSON: \(error)")
            }
        }
        let words = try Words.split(line)
        guard let type = words.first else { throw UsageError("an action is missing") }
        switch try Payload.parse(Array(words.dropFirst())) {
        case .none: return action(type, nil)
        case .value(let value): return action(type, RawJSON(value))
        case .file, .standardInput:
            throw UsageError("@file and - are for the command line, not for a line of input")
        }
    }
}
