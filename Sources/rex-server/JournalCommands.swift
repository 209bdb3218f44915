import RexExamples
import RexLoop
import RexServer

/// `rex-server export`, `import`, `backup` and `verify`.
enum JournalCommands {
    static func run(_ name: String, _ operands: [String]) throws {
        for operand in operands { _ = try ServerSettings.path(operand) }
        let archive = JournalArchive(folder: operands[0])
        switch name {
        case "export": try export(archive)
        case "import": try importLines(archive)
        case "backup": try archive.backUp(to: operands[1])
        case "verify": try verify(archive)
        default: preconditionFailure("a command \(name) passed the check of names")
        }
    }

    private static func export(_ archive: JournalArchive) throws {
        var isBegun = false
        var failure: StandardStreams.Failure?
        do {
            try archive.export { line in
                isBegun = true
                do throws(StandardStreams.Failure) {
                    // Nobody who reads any more is no error: `| head`.
                    return try StandardStreams.writeOutput(line + [10])
                } catch {
                    failure = error
                    return false
                }
            }
        } catch {
            guard isBegun, error.kind == .damaged else { throw error }
            try StandardStreams.flush()
            say(error.description)
            StandardStreams.exit(1)
        }
        if let failure { throw failure }
    }

    private static func importLines(_ archive: JournalArchive) throws {
        let imported = try archive.importLines {
            readLine(strippingNewline: true).map { Array($0.utf8) }
        }
        let names = imported.stores.joined(separator: ", ")
        say("\(imported.commits) commits of \(names)")
    }

    private static func verify(_ archive: JournalArchive) throws {
        var isGood = true
        for complaint in try archive.complaints() {
            isGood = false
            say("SQLite: \(complaint)")
        }
        for name in try archive.storeNames() {
            guard let verdict = try verdict(name, archive) else {
                say("\(name): this program does not know its reducer")
                continue
            }
            if let fault = verdict.fault {
                isGood = false
                say("\(name): \(fault)")
            } else {
                print("\(name): \(verdict.commits) commits, each as it was")
            }
        }
        try StandardStreams.flush()
        if !isGood { StandardStreams.exit(1) }
    }

    private static func verdict(
        _ name: String, _ archive: JournalArchive
    ) throws -> JournalArchive.Verdict? {
        switch name {
        case "chat": try archive.verify(name, ChatReducer())
        case "counter": try archive.verify(name, CounterReducer())
        case "doc": try archive.verify(name, DocumentReducer())
        default: nil
        }
    }

    private static func say(_ text: String) {
        StandardStreams.writeError(Array("rex-server: \(text)\n".utf8))
    }
}
