import Foundation
import RexProtocol
import RexTesting
import Testing

/// Programs that are killed at a certain call that changes a file: at every one of them, with half
/// of a write done. `REX_CRASH_ROUNDS` says how many there are where they are many.
@Suite(.ownThreads) struct KillTests {
    private static let rounds =
        ProcessInfo.processInfo.environment["REX_CRASH_ROUNDS"].flatMap { Int($0) } ?? 20

    private let scratch: Scratch
    private let faults: Faults

    init() throws {
        scratch = try Scratch()
        faults = try Faults(in: scratch)
    }

    /// The first calls belong to the start; after those it is any up to the `last`.
    private func calls(to last: Int) -> [Int] {
        if Self.rounds >= last { return Array(1...last) }
        let first = Self.rounds / 2
        return Array(1...first) + (first..<Self.rounds).map { _ in Int.random(in: first...last) }
    }

    @Test func theServerAtAnyCall() throws {
        for call in calls(to: 150) {
            let data = "\(scratch.folder)/at-\(call)-\(UUID().uuidString)"
            let writer = CrashWriter(name: "w")
            let server = try? Programs.startServer(
                data: data, "--stores", "doc",
                limits: "\"snapshot_commits\": 10, \"journal_commits\": 20",
                environment: try faults.environment(killAt: call))
            if let server {
                writer.run(at: server.port, most: 60)
                try server.kill()
            }
            let again = try Programs.startServer(data: data, "--stores", "doc")
            try writer.settle(at: again.port)
            let list = try LineClient(again).state("doc")["w"]?.array ?? []
            #expect(list.compactMap(\.string) == writer.acked, "killed at call \(call)")
            #expect(try again.stop() == .exited(0))
            let checked = try Programs.run([Programs.server, "verify", data])
            #expect(checked.code == 0, "killed at call \(call): \(checked.errors)")
            try FileManager.default.removeItem(atPath: data)
        }
    }

    private func makeJournal() throws -> (folder: String, text: String) {
        let data = scratch.folder + "/data"
        let server = try Programs.startServer(data: data)
        let client = try LineClient(server)
        for number in 1...40 {
            _ = try client.dispatch("add", .int(number), with: ["key": .string("k\(number)")])
        }
        let end = try server.stop()
        #expect(end == .exited(0), "\(end) \(server.process.errorText)")
        return (data, try export(data))
    }

    /// What is in a journal, but for the names of its epochs.
    private func export(_ folder: String) throws -> String {
        let ended = try Programs.run([Programs.server, "export", folder])
        #expect(ended.code == 0, "\(ended.errors)")
        return ended.lines.filter { !$0.contains("\"epoch\"") }.joined(separator: "\n")
    }

    /// Runs a command that makes a journal in a folder, killed at the first call, the second, and
    /// so on until it comes to its end: each time there is no journal or a whole one, and the
    /// command can be given once more.
    private func killAtEveryCall(
        _ text: String, input: String, _ command: (String) -> [String]
    ) throws -> Int {
        for call in 1...500 {
            let target = "\(scratch.folder)/target-\(call)"
            let ended = try Programs.run(
                [Programs.server] + command(target), input: input,
                environment: try faults.environment(killAt: call))
            let isThere = FileManager.default.fileExists(atPath: target + "/journal.sqlite")
            #expect(isThere || ended.code != 0)
            if !isThere {
                let again = try Programs.run([Programs.server] + command(target), input: input)
                #expect(again.code == 0, "after a kill at call \(call): \(again.errors)")
            }
            #expect(try export(target) == text, "killed at call \(call)")
            let names = try FileManager.default.contentsOfDirectory(atPath: target)
            #expect(!names.contains { $0.contains("partial") } || isThere && ended.code != 0)
            try FileManager.default.removeItem(atPath: target)
            if ended.code == 0 { return call }
        }
        throw LineClient.Failure(description: "it was killed 500 times")
    }

    @Test func aBackupAtEveryCall() throws {
        let (data, text) = try makeJournal()
        let calls = try killAtEveryCall(text, input: "") { ["backup", data, $0] }
        #expect(calls > 10)
    }

    @Test func anImportAtEveryCall() throws {
        let (data, text) = try makeJournal()
        let lines = try Programs.run([Programs.server, "export", data]).output
        let calls = try killAtEveryCall(text, input: lines) { ["import", $0] }
        #expect(calls > 10)
    }
}
