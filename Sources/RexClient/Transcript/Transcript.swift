import RexProtocol

/// A conversation with a server, written down so that it can be played: `> ` sent, `< ` expected.
///
/// The lines are described in docs/transcripts.md.
public struct Transcript: Sendable {
    /// What one line asks for.
    public enum Action: Sendable {
        /// Send this line, variables put in, with LF.
        case send(String)
        /// Send these bytes as they are.
        case sendBytes([UInt8])
        /// The next frame that has not been taken is this.
        case expect(Expectation)
        /// Among the frames that wait or come is this one; those passed over wait on.
        case expectSomewhere(Expectation)
        /// The server ends the connection, and no frame comes before that.
        case expectClosed
        /// End our sending half.
        case finish
        /// Close our side.
        case close
        /// How long each later expectation may take.
        case within(Duration)
    }

    /// One line of a transcript.
    public struct Step: Sendable {
        /// The line of the file, from 1.
        public let line: Int
        /// The connection's name; empty where the transcript names none.
        public let connection: String
        /// What is to be done.
        public let action: Action
    }

    /// A frame as it is expected: a pattern for JSON.
    public struct Expectation: Sendable {
        /// As it was written.
        public let source: String
        /// The pattern.
        public let pattern: JSONValue
    }

    /// The file it was read from, for messages.
    public let file: String
    /// The line where it begins.
    public let line: Int
    /// What it shows, where that is said.
    public let title: String
    /// The lines in order.
    public let steps: [Step]
}

/// A transcript that cannot be read: the file, the line and what was expected there.
public struct TranscriptSyntaxError: Error, Equatable, CustomStringConvertible {
    /// The file, the line and what is wrong.
    public let description: String

    init(_ file: String, _ line: Int, _ problem: String) {
        description = "\(file):\(line): \(problem)"
    }
}
