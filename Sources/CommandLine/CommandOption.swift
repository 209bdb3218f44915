/// One option of a command line: this one definition gives its parsing, its help line, its
/// environment variable and its place among the suggestions.
package struct CommandOption<Value: Sendable>: Sendable {
    package let name: String
    package let placeholder: String?
    package let help: String
    package let environment: String?
    private let read: @Sendable (String) throws -> Value

    /// - Parameters:
    ///   - name: with its dashes, `--url`.
    ///   - placeholder: what help shows for the value; nil for a flag.
    ///   - environment: the variable that stands in where the option is not given.
    ///   - read: makes the value of the text; its error's description tells what was expected.
    package init(
        _ name: String, _ placeholder: String, help: String, environment: String? = nil,
        read: @escaping @Sendable (String) throws -> Value
    ) {
        self.name = name
        self.placeholder = placeholder
        self.help = help
        self.environment = environment
        self.read = read
    }
}

extension CommandOption<Bool> {
    /// A flag: given or not.
    package init(flag name: String, help: String, environment: String? = nil) {
        self.name = name
        self.placeholder = nil
        self.help = help
        self.environment = environment
        // `REX_X=0` in the environment is a no.
        read = { !["0", "false", "no"].contains($0) }
    }
}

/// An option without its value's type, for the table.
package protocol CommandOptionDefinition: Sendable {
    var name: String { get }
    var placeholder: String? { get }
    var help: String { get }
    var environment: String? { get }
    /// Reads the text of the value.
    func parse(_ text: String) throws(UsageError) -> any Sendable
}

extension CommandOption: CommandOptionDefinition {
    package func parse(_ text: String) throws(UsageError) -> any Sendable {
        do {
            return try read(text)
        } catch {
            throw UsageError("\(name): \(error)")
        }
    }
}

/// The words on the command line do not fit: exit status 2, with the sentence on stderr.
package struct UsageError: Error, Equatable, CustomStringConvertible {
    package let description: String
    /// The command whose help would tell more.
    package var command: String?

    package init(_ description: String, command: String? = nil) {
        self.description = description
        self.command = command
    }
}
