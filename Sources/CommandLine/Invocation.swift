/// What the words of a command line ask for.
package enum Invocation: Sendable {
    /// The program's help, or one command's.
    case help(CommandSpec?)
    /// The program's name and version.
    case version
    /// A command with its options and operands.
    case run(CommandSpec, Arguments)
}

/// The options and operands of a command, parsed.
package struct Arguments: Sendable {
    package fileprivate(set) var operands: [String] = []
    fileprivate var values: [String: [any Sendable]] = [:]

    /// The option's value, or nil where neither the command line nor the environment has one.
    package subscript<Value: Sendable>(_ option: CommandOption<Value>) -> Value? {
        values[option.name]?.last as? Value
    }

    /// Every value of an option that may be repeated, in order.
    package func all<Value: Sendable>(_ option: CommandOption<Value>) -> [Value] {
        (values[option.name] ?? []).compactMap { $0 as? Value }
    }

    /// True where the flag was given.
    package subscript(_ flag: CommandOption<Bool>) -> Bool {
        values[flag.name]?.last as? Bool ?? false
    }
}

extension ProgramSpec {
    /// Reads the words after the program's name.
    ///
    /// Options may stand before and after the command. `--` ends them; so `-` and words like `-5`
    /// are operands anyway. An option given twice counts with its last value. Flags win over the
    /// environment.
    package func parse(
        _ words: [String], environment: [String: String] = [:]
    ) throws(UsageError) -> Invocation {
        var arguments = Arguments()
        // A program without commands is one command itself.
        var command = commands.isEmpty ? CommandSpec.program(name) : nil
        var wantsHelp = false
        var index = 0
        var optionsEnded = false
        while index < words.count {
            let word = words[index]
            index += 1
            if !optionsEnded, word == "--" {
                optionsEnded = true
            } else if !optionsEnded, word == "--help" || word == "-h" {
                wantsHelp = true
            } else if !optionsEnded, word == "--version" {
                return .version
            } else if !optionsEnded, Self.isOption(word) {
                let (option, text) = try readOption(word, command, words, &index)
                arguments.values[option.name, default: []].append(try option.parse(text))
            } else if command == nil {
                command = try find(word)
            } else {
                arguments.operands.append(word)
            }
        }
        if wantsHelp { return .help(commands.isEmpty ? nil : command) }
        if isCommandOptional, command == nil { command = CommandSpec.program(name) }
        guard let command else { throw UsageError("a command is missing") }
        if command.name == "help" {
            guard let topic = arguments.operands.first else { return .help(nil) }
            return .help(try find(topic))
        }
        try addEnvironment(environment, for: command, to: &arguments)
        try checkCount(of: arguments.operands, for: command)
        return .run(command, arguments)
    }

    private static func isOption(_ word: String) -> Bool {
        guard word.hasPrefix("-"), word.count > 1 else { return false }
        return !word.dropFirst().first!.isNumber
    }

    private func find(_ name: String) throws(UsageError) -> CommandSpec {
        if let command = commands.first(where: { $0.name == name }) { return command }
        try refuseAnnounced(name)
        let question = Suggestion.question(name, among: commands.map(\.name))
        throw UsageError("there is no command \(name)\(question)")
    }

    private func refuseAnnounced(_ name: String) throws(UsageError) {
        if announced.contains(name) { throw UsageError("\(name) is not supported yet") }
    }

    /// The option that `word` names and the text of its value, which may be the next word.
    private func readOption(
        _ word: String, _ command: CommandSpec?, _ words: [String], _ index: inout Int
    ) throws(UsageError) -> (any CommandOptionDefinition, String) {
        let mark = word.firstIndex(of: "=")
        let name = String(word[..<(mark ?? word.endIndex)])
        try refuseAnnounced(name)
        let known = options + (command?.options ?? [])
        guard let option = known.first(where: { $0.name == name }) else {
            throw unknown(name, command, known.map(\.name))
        }
        if let mark {
            guard option.placeholder != nil else {
                throw UsageError("\(name) takes no value", command: command?.name)
            }
            return (option, String(word[word.index(after: mark)...]))
        }
        guard let placeholder = option.placeholder else { return (option, "") }
        guard index < words.count else {
            throw UsageError(
                "\(name) needs a value: \(name) \(placeholder)", command: command?.name)
        }
        index += 1
        return (option, words[index - 1])
    }

    private func unknown(
        _ name: String, _ command: CommandSpec?, _ known: [String]
    ) -> UsageError {
        let owners = commands.filter { spec in spec.options.contains { $0.name == name } }
        if let owner = owners.first {
            let place = command == nil ? "after the command" : "of \(owner.name)"
            return UsageError("\(name) is an option \(place)", command: owner.name)
        }
        let names = known + ["--help", "--version"]
        let question = Suggestion.question(name, among: names)
        return UsageError("there is no option \(name)\(question)", command: command?.name)
    }

    private func addEnvironment(
        _ environment: [String: String], for command: CommandSpec, to arguments: inout Arguments
    ) throws(UsageError) {
        for option in options + command.options where arguments.values[option.name] == nil {
            guard let variable = option.environment, let text = environment[variable],
                !text.isEmpty
            else { continue }
            do throws(UsageError) {
                arguments.values[option.name] = [try option.parse(text)]
            } catch {
                throw UsageError("\(variable), \(error)")
            }
        }
    }

    private func checkCount(
        of operands: [String], for command: CommandSpec
    ) throws(UsageError) {
        guard !command.count.contains(operands.count) else { return }
        let usage = commands.isEmpty ? name : "\(name) \(command.name) \(command.operands)"
        if operands.count < command.count.lowerBound {
            throw UsageError("a word is missing: \(usage)", command: command.name)
        }
        let extra = operands[command.count.upperBound]
        let expected = command.operands.isEmpty ? "\(command.name) takes none" : usage
        throw UsageError("\(extra) is one word too many; \(expected)", command: command.name)
    }
}
