/// What the compiler or the program would not survive: unchecked isolation, `try!`, output of a
/// library, a test that waits for time to pass.
enum SafetyRule {
    static func findings(in file: SourceFile) -> [Finding] {
        unchecked(file) + forcedTry(file) + output(file) + waiting(file)
    }

    static func unchecked(_ file: SourceFile) -> [Finding] {
        guard file.target != "Sources/Loop" else { return [] }
        return matches(["@", "unchecked"], in: file, "@unchecked only in Sources/Loop")
            + matches(
                ["nonisolated", "(", "unsafe", ")"], in: file,
                "nonisolated(unsafe) only in Sources/Loop")
    }

    static func forcedTry(_ file: SourceFile) -> [Finding] {
        guard !file.isTest, !file.isProgram else { return [] }
        return matches(["try", "!"], in: file, "try! ends the program where an error would do")
    }

    /// Whose purpose it is to print, where nobody says otherwise.
    private static let printing: Set<Substring> = ["LoggingPipelineHook.swift"]

    static func output(_ file: SourceFile) -> [Finding] {
        guard !file.isTest, !file.isProgram, !printing.contains(file.name) else { return [] }
        return ["print", "debugPrint", "dump"].flatMap { name in
            calls(of: name, in: file).map { file.finding($0, "a library does not \(name)") }
        }
    }

    /// A clock of the test's own may sleep: that is what a test of a clock is about. What users of
    /// other libraries wrote, in folders Seeds, stands as they wrote it.
    static func waiting(_ file: SourceFile) -> [Finding] {
        guard file.isTest, !file.folders.contains("Seeds") else { return [] }
        let rule = "a test waits for what it wants, never for time to pass"
        let free = ["sleep", "usleep", "nanosleep"].flatMap { name in
            calls(of: name, in: file).map { file.finding($0, rule) }
        }
        let owners = ["Task", "Thread", "ContinuousClock", "SuspendingClock"]
        return free
            + owners.flatMap { matches([$0, ".", "sleep"], in: file, rule) }
            + owners.flatMap { matches([$0, "(", ")", ".", "sleep"], in: file, rule) }
    }

    /// Lines on which these tokens stand one behind the other.
    private static func matches(
        _ texts: [String], in file: SourceFile, _ rule: String
    ) -> [Finding] {
        let tokens = file.tokens
        return tokens.indices.compactMap { start in
            let fits =
                start + texts.count <= tokens.count
                && texts.indices.allSatisfy {
                    tokens[start + $0].kind != .string && tokens[start + $0].text == texts[$0]
                }
            return fits ? file.finding(tokens[start].line, rule) : nil
        }
    }

    /// Lines on which the free function is called: no method, no declaration of that name.
    private static func calls(of name: String, in file: SourceFile) -> [Int] {
        let tokens = file.tokens
        return tokens.indices.dropLast().compactMap { index in
            guard tokens[index].isWord(name), tokens[index + 1].isMark("(") else { return nil }
            if index > 0, tokens[index - 1].isMark(".") || tokens[index - 1].isWord("func") {
                // `Swift.print` is the free function by its full name.
                guard index > 1, ["Swift", "Glibc"].contains(tokens[index - 2].text)
                else { return nil }
            }
            return tokens[index].line
        }
    }
}
