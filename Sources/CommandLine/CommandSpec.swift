/// One command of the program: what help says of it and what its words may be.
package struct CommandSpec: Sendable {
    package let name: String
    /// The operands as help shows them, `TYPE [PAYLOAD]`.
    package let operands: String
    /// How many operands it takes.
    package let count: ClosedRange<Int>
    /// One line for the list of commands.
    package let summary: String
    /// Lines for the command's own help.
    package let details: [String]
    package let options: [any CommandOptionDefinition]
    package let examples: [String]

    package init(
        _ name: String, _ operands: String = "", count: ClosedRange<Int> = 0...0,
        summary: String, details: [String] = [], options: [any CommandOptionDefinition] = [],
        examples: [String]
    ) {
        self.name = name
        self.operands = operands
        self.count = count
        self.summary = summary
        self.details = details
        self.options = options
        self.examples = examples
    }
}

extension CommandSpec {
    /// What stands for the whole of a program that has no commands.
    static func program(_ name: String) -> CommandSpec {
        CommandSpec(name, summary: "", examples: [])
    }
}

/// A program's commands and the options that all of them take.
package struct ProgramSpec: Sendable {
    package let name: String
    package let version: String
    package let summary: String
    package let options: [any CommandOptionDefinition]
    package let commands: [CommandSpec]
    /// Without a command the program does what it is for.
    package let isCommandOptional: Bool
    package let examples: [String]
    /// Lines behind the options: what the exit status means.
    package let notes: [String]
    /// Names of commands and options that a later version will have: asked for, they are answered
    /// with "not supported yet" and not with a suggestion.
    package let announced: [String]

    package init(
        name: String, version: String, summary: String, options: [any CommandOptionDefinition],
        commands: [CommandSpec], isCommandOptional: Bool = false, examples: [String],
        notes: [String] = [],
        announced: [String] = []
    ) {
        self.name = name
        self.version = version
        self.summary = summary
        self.options = options
        self.commands = commands
        self.isCommandOptional = isCommandOptional
        self.examples = examples
        self.notes = notes
        self.announced = announced
    }
}
