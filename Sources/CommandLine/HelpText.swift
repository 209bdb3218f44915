/// Help as it is printed: one screen, examples last.
package enum HelpText {
    /// The program's own.
    package static func program(_ program: ProgramSpec) -> String {
        var lines = [
            "\(program.name): \(program.summary)", "",
            "Usage: \(program.name) [OPTIONS]\(program.commandWords)", "",
        ]
        if program.commands.isEmpty {
            lines += ["Options:"]
        } else {
            lines += columns(
                program.commands.map { ("  \($0.name) \($0.operands)", $0.summary) }, gap: 2)
            lines += ["", "Options, before or after the command:"]
        }
        lines += options(program.options)
        if !program.notes.isEmpty { lines += [""] + program.notes }
        lines += ["", "Examples:"] + program.examples.map { "  \($0)" }
        return lines.joined(separator: "\n")
    }

    /// One command's.
    package static func command(_ command: CommandSpec, of program: ProgramSpec) -> String {
        let options = command.options.isEmpty ? "" : " [OPTIONS]"
        let operands = command.operands.isEmpty ? "" : " \(command.operands)"
        var lines = [
            "\(program.name) \(command.name): \(command.summary)", "",
            "Usage: \(program.name) \(command.name)\(options)\(operands)",
        ]
        if !command.details.isEmpty { lines += [""] + command.details }
        if !command.options.isEmpty {
            lines += ["", "Options:"] + Self.options(command.options, builtIn: false)
        }
        lines += ["", "Options of every command:"] + Self.options(program.options)
        lines += ["", "Examples:"] + command.examples.map { "  \($0)" }
        return lines.joined(separator: "\n")
    }

    private static func options(
        _ options: [any CommandOptionDefinition], builtIn: Bool = true
    ) -> [String] {
        var rows = options.map { option in
            let value = option.placeholder.map { " \($0)" } ?? ""
            let variable = option.environment.map { " [\($0)]" } ?? ""
            return ("  \(option.name)\(value)", option.help + variable)
        }
        if builtIn { rows += [("  --help, --version", "this help; the version")] }
        return columns(rows, gap: 2)
    }

    /// Two columns; a first one that is too wide for its row pushes the second one only there.
    private static func columns(_ rows: [(String, String)], gap: Int) -> [String] {
        let width = rows.map(\.0.count).filter { $0 <= 34 }.max() ?? 0
        return rows.map { first, second in
            let space = max(gap, width + gap - first.count)
            return first + String(repeating: " ", count: space) + second
        }
    }
}

extension ProgramSpec {
    /// How its usage names a command.
    fileprivate var commandWords: String {
        commands.isEmpty ? "" : isCommandOptional ? " [COMMAND …]" : " COMMAND …"
    }
}
