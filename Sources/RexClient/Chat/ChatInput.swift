import RexCommandLine

/// What a line typed in a chat asks for.
package enum ChatInput: Equatable {
    case say(String)
    case topic(String)
    /// A new text for a message of one's own; the last one where no id is given.
    case edit(id: String?, text: String)
    case who
    case leave
    case help
    case nothing
    /// Not understood, with words for a person.
    case wrong(String)

    /// The commands, for help and suggestions.
    package static let commands = ["/topic", "/edit", "/who", "/leave", "/help"]

    /// What `/help` shows.
    package static let helpLines = [
        "* /topic TEXT      set the topic of the room",
        "* /edit TEXT       change your last message",
        "* /edit #ID TEXT   change that message of yours",
        "* /who             who is here",
        "* /leave           leave the room and end",
        "* //text           say a text that begins with /",
    ]

    package init(_ line: String) {
        guard line.contains(where: { !$0.isWhitespace }) else {
            self = .nothing
            return
        }
        if line.hasPrefix("//") {
            self = .say(String(line.dropFirst()))
            return
        }
        guard line.hasPrefix("/") else {
            self = .say(line)
            return
        }
        let word = line.prefix { !$0.isWhitespace }
        let rest = String(line[word.endIndex...].drop { $0.isWhitespace })
        switch word {
        case "/topic": self = .topic(rest)
        case "/edit": self = Self.edit(rest)
        case "/who": self = .who
        case "/leave", "/quit": self = .leave
        case "/help": self = .help
        default:
            let question = Suggestion.question(String(word), among: Self.commands)
            self = .wrong("there is no \(word)\(question); /help lists what there is")
        }
    }

    private static func edit(_ rest: String) -> ChatInput {
        var id: String?
        var text = rest
        if rest.hasPrefix("#") {
            let word = rest.prefix { !$0.isWhitespace }
            id = String(word.dropFirst())
            text = String(rest[word.endIndex...].drop { $0.isWhitespace })
        }
        return text.isEmpty ? .wrong("/edit needs the new text") : .edit(id: id, text: text)
    }
}
