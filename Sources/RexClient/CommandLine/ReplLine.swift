import RexCommandLine
import RexProtocol

/// A line of the `repl`: what is to be sent, or what is asked of the program itself.
package enum ReplLine: Equatable {
    case nothing
    case quit
    case help
    /// Another store from now on.
    case use(String)
    /// A frame to be sent as it is.
    case send(String)

    /// The words that are not ops, for completion.
    package static let ownWords = ["help", "quit", "use"]

    /// What `help` shows.
    package static let helpLines = [
        "increment            an action: TYPE [PAYLOAD], payload as in dispatch",
        "get /rooms           an op and its main member; others as key=value or key:=json",
        "subscribe /rooms     patches are shown as they come; unsubscribe s1 ends them",
        "listen news.*        events are shown as they come; publish news.x text=hi",
        "{\"op\":\"ping\"}        a frame, sent as it is",
        "use STORE            the store from now on",
        "quit, or Ctrl-D      ends",
    ]

    /// The members of each op that may be given without their names, in this order.
    private static let positions: [String: [String]] = [
        "get": ["path", "at"], "subscribe": ["path"], "unsubscribe": ["sub"], "listen": ["topic"],
        "unlisten": ["listen"], "cancel": ["effect"], "jump": ["rev"], "history": ["path"],
        "diff": ["from", "to", "path"], "fork": ["at", "as"],
    ]
    private static let numbers: Set<String> = [
        "at", "rev", "from", "to", "after", "limit", "expect", "throttle_ms", "heartbeat_ms",
    ]
    private static let withoutStore: Set<String> = [
        "hello", "unsubscribe", "listen", "unlisten", "publish", "clients", "ping", "pong",
    ]

    /// Reads a line.
    ///
    /// - Parameter store: put into frames about a store that do not name one; nil is the server's
    ///   default.
    package init(_ line: String, store: String?) throws(UsageError) {
        let text = String(line.drop(while: \.isWhitespace))
        if text.isEmpty {
            self = .nothing
            return
        }
        if text.hasPrefix("{") {
            self = .send(text)
            return
        }
        let words = try Words.split(text)
        let rest = Array(words.dropFirst())
        switch words[0] {
        case "quit", "exit": self = .quit
        case "help": self = .help
        case "use":
            guard rest.count == 1 else { throw UsageError("use needs the name of a store") }
            self = .use(rest[0])
        case "dispatch":
            guard !rest.isEmpty else { throw UsageError("dispatch needs the type of an action") }
            self = .send(try Self.action(rest, store))
        case "publish": self = .send(try Self.publish(rest))
        case let op where ClientFrame.ops.contains(op):
            self = .send(try Self.frame(op, rest, store))
        default: self = .send(try Self.action(words, store))
        }
    }

    private static func action(
        _ words: [String], _ store: String?
    ) throws(UsageError) -> String {
        let action = ActionText.action(words[0], try payload(Array(words.dropFirst())))
        var writer = JSONWriter(capacity: 128)
        writer.literal("{\"op\":\"dispatch\"")
        if let store {
            writer.literal(",\"store\":")
            writer.string(store)
        }
        writer.literal(",\"action\":")
        writer.raw(action)
        writer.literal("}")
        return RawJSON(writer).description
    }

    private static func publish(_ words: [String]) throws(UsageError) -> String {
        guard let topic = words.first else { throw UsageError("publish needs a topic and data") }
        let data = try payload(Array(words.dropFirst()))?.value ?? .null
        return text("publish", ["topic": .string(topic), "data": data])
    }

    private static func payload(_ words: [String]) throws(UsageError) -> RawJSON? {
        switch try Payload.parse(words) {
        case .none: return nil
        case .value(let value): return RawJSON(value)
        case .file, .standardInput:
            throw UsageError("@file and - are for the command line, not for a line of input")
        }
    }

    private static func frame(
        _ op: String, _ words: [String], _ store: String?
    ) throws(UsageError) -> String {
        var members = JSONObject()
        var open = (positions[op] ?? [])[...]
        for word in words {
            if case .value(.object(let object))? = try? Payload.parse([word]),
                !word.hasPrefix("{")
            {
                for (key, value) in object { members[key] = number(key, value) }
            } else if let key = open.popFirst() {
                members[key] = number(key, .string(word))
            } else {
                throw UsageError("\(op): expected key=value or key:=json, got \(word)")
            }
        }
        if let store, members["store"] == nil, !withoutStore.contains(op) {
            members["store"] = .string(store)
        }
        return text(op, members)
    }

    /// Members that are numbers need no `:=`.
    private static func number(_ key: String, _ value: JSONValue) -> JSONValue {
        guard numbers.contains(key), let text = value.string, let number = Int(text) else {
            return value
        }
        return .int(number)
    }

    /// The op first, then the members by their names.
    private static func text(_ op: String, _ members: JSONObject) -> String {
        var writer = JSONWriter(capacity: 128)
        writer.literal("{\"op\":")
        writer.string(op)
        for (key, value) in members {
            writer.literal(",")
            writer.string(key)
            writer.literal(":")
            writer.value(value)
        }
        writer.literal("}")
        return RawJSON(writer).description
    }
}

/// Completes the word at the end of a line.
package enum Completion {
    /// What is to be inserted, and the names to choose from where there are several.
    package static func complete(
        _ line: String, from names: [String]
    ) -> (insert: String, choices: [String]) {
        let word = line.drop(while: \.isWhitespace)
        guard !word.contains(where: \.isWhitespace) else { return ("", []) }
        let found = Set(names).filter { $0.hasPrefix(word) }.sorted()
        guard let first = found.first else { return ("", []) }
        if found.count == 1 { return (String(first.dropFirst(word.count)) + " ", []) }
        var common = first[...]
        for name in found {
            while !name.hasPrefix(common) { common = common.dropLast() }
        }
        return (String(common.dropFirst(word.count)), found)
    }

    /// The action types that the server's answer to an unknown one lists.
    package static func knownTypes(in message: String) -> [String] {
        guard let mark = message.firstRange(of: "Known types: ") else { return [] }
        return message[mark.upperBound...].split(separator: ",").map { part in
            String(part.filter { !$0.isWhitespace && $0 != "." })
        }
    }
}
