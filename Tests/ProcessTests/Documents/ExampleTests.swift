import Foundation
import RexTesting
import Testing

/// The examples in a terminal say what their transcripts say.
@Suite(.ownThreads) struct ExampleTests {
    private static let program = ServerProcess.builtPrograms + "/rex-examples"
    static let names = ["alerts", "chat", "game", "login", "steps"]

    /// A transcript is what the program puts out, byte by byte; what it is told stands behind `> `.
    @Test(arguments: names) func itsTranscriptIsPlayed(name: String) throws {
        let transcript = try Document.text(of: "Examples/Transcripts/\(name).txt")
        let lines = transcript.split(separator: "\n").filter { $0.hasPrefix("> ") }
        let input = lines.map { $0.dropFirst(2) + "\n" }.joined()
        let ended = try Programs.run([Self.program, name, "--stepped"], input: input)
        #expect(ended.output == transcript)
        #expect(ended.errors == "")
        #expect(ended.code == 0)
    }

    @Test func everyTranscriptIsOfAnExample() throws {
        let files = try FileManager.default.contentsOfDirectory(
            atPath: Document.path(of: "Examples/Transcripts"))
        #expect(files.sorted() == Self.names.map { "\($0).txt" })
        let usage = try Programs.run([Self.program])
        #expect(usage.code == 2)
        let listed = usage.errors.split(separator: "\n").filter { $0.hasPrefix("  ") }
        #expect(
            listed.compactMap { $0.split(separator: " ").first.map(String.init) } == Self.names)
    }

    /// Real time passes, and the end of the input is the end.
    @Test func itRunsWithoutSteps() throws {
        let ended = try Programs.run([Self.program, "alerts"], input: "+\ntimer\nwait 1\nstop\n")
        #expect(ended.output.hasPrefix("count 0\n> count 1\n> > "))
        #expect(ended.code == 0)
    }
}
