import Foundation
import RexTesting
import Testing

/// The terminal sessions of README.md and protocol.md happen as they are shown.
@Suite(.serialized, .ownThreads) struct ConsoleTests {
    @Test func everySessionOfTheReadmeHappens() throws {
        let sessions = try Document.blocks(of: "console", in: "README.md")
        #expect(sessions.count >= 4, "the README shows a tour")
        // One server for all, as a reader has who types one after the other.
        let server = try ServerProcess(program: ServerProcess.builtPrograms + "/rex-server")
        for session in sessions { try play(session, on: server) }
    }

    @Test func everySessionOfTheProtocolHappens() throws {
        let sessions = try Document.blocks(of: "console", in: "protocol.md")
        #expect(sessions.count >= 2)
        for session in sessions {
            try play(session, on: ServerProcess(program: Programs.server))
        }
    }

    /// The file that the guide shows, and what it shows of a server with it.
    @Test func everySessionOfTheSecurityGuideHappens() throws {
        let sessions = try Document.blocks(of: "console", in: "docs/security.md")
        #expect(sessions.count >= 2)
        let scratch = try Scratch()
        let tokens = try scratch.write(try Document.tokenFile, to: "tokens.json")
        let server = try ServerProcess(
            program: Programs.server, options: ["--memory", "--token-file", tokens])
        for session in sessions { try play(session, on: server, in: scratch.folder) }
    }

    /// With the configuration that it shows.
    @Test func everySessionOfTheGuideToOperationsHappens() throws {
        let sessions = try Document.blocks(of: "console", in: "docs/operations.md")
        #expect(!sessions.isEmpty)
        let shown = try Document.blocks(of: "json", in: "docs/operations.md")
        let scratch = try Scratch()
        let file = try scratch.write(shown[0].joined(separator: "\n"), to: "rex.json")
        for session in sessions {
            try play(session, on: try Programs.startServer("--config", file))
        }
    }

    private func play(
        _ session: [String], on server: ServerProcess, in folder: String = "."
    ) throws {
        var running: [ChildProcess] = []
        for entry in entries(session) where entry.command != "make run" {
            let program = try ChildProcess(
                ["/bin/sh", "-c", "cd \(folder) && { \(located(entry.command, server)); }"],
                environment: ["REX_URL": "tcp://\(server.address)", "NO_COLOR": "1"])
            running.append(program)
            do {
                try play(entry, with: program)
            } catch {
                Issue.record("\(entry.command): \(error) | \(program.errorText)")
            }
        }
    }

    private func play(_ entry: Entry, with program: ChildProcess) throws {
        for line in entry.lines where !line.isEmpty || entry.command.hasPrefix("curl") {
            if line.hasPrefix("{\"type\"") {
                try program.write(line + "\n")
            } else {
                let got = words(try program.line())
                #expect(fits(got, words(line)), "\(entry.command): \(got) instead of \(line)")
            }
        }
        if entry.ends {
            let rest = try program.rest()
            #expect(rest == "", "\(entry.command) says more than is shown")
            #expect(try program.wait() == .exited(0))
        }
    }

    private struct Entry {
        let command: String
        var lines: [String] = []
        /// It ends by itself.
        var ends: Bool { !command.hasPrefix("nc ") && !command.contains(" watch ") }
    }

    /// What is typed at the prompt, without the remark behind it, and the lines until the next.
    private func entries(_ session: [String]) -> [Entry] {
        session.reduce(into: []) { entries, line in
            if line.hasPrefix("$ ") {
                let typed = line.dropFirst(2)
                let remark = typed.range(of: "  #")?.lowerBound ?? typed.endIndex
                let command = typed[..<remark].trimmingCharacters(in: .whitespaces)
                entries.append(Entry(command: command))
            } else if !entries.isEmpty {
                entries[entries.count - 1].lines.append(line)
            }
        }
    }

    /// The command with the server's port and the place of the built programs.
    private func located(_ command: String, _ server: ServerProcess) -> String {
        command
            .replacingOccurrences(of: "127.0.0.1 7390", with: "127.0.0.1 \(server.port)")
            .replacingOccurrences(of: "127.0.0.1:7390", with: "127.0.0.1:\(server.port)")
            .replacingOccurrences(of: ".build/release/", with: ServerProcess.builtPrograms + "/")
    }

    /// Columns are as wide as what stands in them.
    private func words(_ line: String) -> String {
        line.split(separator: " ").joined(separator: " ")
    }

    /// Whether the pieces of the pattern between its ellipses stand in the text, in order.
    private func fits(_ text: String, _ pattern: String) -> Bool {
        let pieces = pattern.components(separatedBy: "…")
        guard pieces.count > 1 else { return text == pattern }
        guard text.hasPrefix(pieces[0]), text.hasSuffix(pieces[pieces.count - 1]) else {
            return false
        }
        var rest = text[...]
        for piece in pieces where !piece.isEmpty {
            guard let range = rest.range(of: piece) else { return false }
            rest = rest[range.upperBound...]
        }
        return true
    }
}
