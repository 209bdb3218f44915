import RexClient
import RexCommandLine
import RexProtocol

extension Main {
    /// `run FILE`: plays a transcript, or every one of a Markdown file.
    static func play(_ call: Call) async throws -> ExitStatus {
        let file = call.operands[0]
        let bytes =
            file == "-"
            ? try await StandardInput.shared.everything() : try Process.contents(of: file)
        let transcripts: [Transcript]
        do throws(TranscriptSyntaxError) {
            transcripts = try Transcript.read(
                String(decoding: bytes, as: UTF8.self), file: file == "-" ? "stdin" : file)
        } catch {
            throw Failure(error.description)
        }
        guard !transcripts.isEmpty else { throw Failure("\(file) holds no transcript") }
        let player = TranscriptPlayer(timeout: call.timeout) { _ in try await call.connectLines() }
        var failed = 0
        for transcript in transcripts {
            let title = transcript.title.isEmpty ? "" : " \(transcript.title)"
            let name = "\(transcript.file):\(transcript.line)\(title)"
            do {
                let held = try await player.play(transcript)
                StandardOutput.line("ok \(name) (\(held))")
            } catch let failure as TranscriptFailure {
                failed += 1
                StandardOutput.line("FAILED \(name)")
                StandardOutput.line(failure.description)
            }
        }
        StandardOutput.line("\(transcripts.count - failed) passed, \(failed) failed")
        return failed == 0 ? .done : .refused
    }
}
