import RexCommandLine
import RexProtocol

/// What a transcript is played over: a connection to a server, or a session in memory.
public protocol TranscriptChannel: Sendable {
    /// Sends bytes as they are.
    func send(_ bytes: [UInt8]) async throws
    /// The next line without its end; nil once the server has ended the connection.
    ///
    /// - Throws: `ConnectionError.timedOut` when none comes within the time.
    func nextLine(within timeout: Duration) async throws -> [UInt8]?
    /// Ends our sending half.
    func finish() async
    /// Closes.
    func close() async
}

extension LineConnection: TranscriptChannel {}

/// Plays a transcript and compares what comes with what is expected.
///
/// Each connection is opened when its name first occurs; all are closed at the end.
public struct TranscriptPlayer: Sendable {
    /// How long an expectation may take where the transcript says nothing else.
    public static let defaultTimeout: Duration = .seconds(5)

    private let open: @Sendable (String) async throws -> any TranscriptChannel
    private let timeout: Duration

    /// - Parameter open: opens the connection of a name.
    public init(
        timeout: Duration = Self.defaultTimeout,
        open: @escaping @Sendable (String) async throws -> any TranscriptChannel
    ) {
        self.timeout = timeout
        self.open = open
    }

    /// A player against the server at a URL.
    public init(url: RexURL, timeout: Duration = Self.defaultTimeout) {
        self.init(timeout: timeout) { _ in try await LineConnection.open(url, timeout: timeout) }
    }

    /// Plays to the end.
    ///
    /// - Returns: the number of expectations that held.
    /// - Throws: `TranscriptFailure` at the first that does not; `ConnectionError` when a
    ///   connection cannot be opened.
    @discardableResult
    public func play(_ transcript: Transcript) async throws -> Int {
        var run = TranscriptRun(transcript, timeout, open)
        do {
            for step in transcript.steps { try await run.perform(step) }
        } catch {
            await run.closeAll()
            throw error
        }
        await run.closeAll()
        return run.held
    }
}

/// A transcript that does not hold: where, what was expected and what came.
public struct TranscriptFailure: Error, CustomStringConvertible {
    /// Several lines for a person: file and line, the difference, the two frames.
    public let description: String
}

/// One playing: the connections, what they brought and nobody took yet, the variables.
private struct TranscriptRun {
    /// Frames that a failure shows at most.
    private static let shownLimit = 20

    private let transcript: Transcript
    private let open: @Sendable (String) async throws -> any TranscriptChannel
    private var timeout: Duration
    private var channels: [String: any TranscriptChannel] = [:]
    private var waiting: [String: [JSONValue]] = [:]
    private var bindings = TranscriptBindings()
    private(set) var held = 0

    init(
        _ transcript: Transcript, _ timeout: Duration,
        _ open: @escaping @Sendable (String) async throws -> any TranscriptChannel
    ) {
        self.transcript = transcript
        self.timeout = timeout
        self.open = open
    }

    mutating func perform(_ step: Transcript.Step) async throws {
        switch step.action {
        case .within(let limit): timeout = limit
        case .send(let line):
            do throws(TranscriptBindings.UnboundVariable) {
                let text = try bindings.substitute(line)
                try? await channel(step).send(Array("\(text)\n".utf8))
            } catch {
                throw failure(step, "nothing has bound \(error.name) yet")
            }
        case .sendBytes(let bytes): try await channel(step).send(bytes)
        case .finish: try await channel(step).finish()
        case .close:
            await channels.removeValue(forKey: step.connection)?.close()
            waiting[step.connection] = nil
        case .expect(let expectation): try await expect(expectation, step)
        case .expectSomewhere(let expectation): try await expectSomewhere(expectation, step)
        case .expectClosed: try await expectClosed(step)
        }
    }

    private mutating func channel(_ step: Transcript.Step) async throws -> any TranscriptChannel {
        if let channel = channels[step.connection] { return channel }
        let channel = try await open(step.connection)
        channels[step.connection] = channel
        return channel
    }

    private mutating func expect(
        _ expectation: Transcript.Expectation, _ step: Transcript.Step
    ) async throws {
        switch try await next(step, within: timeout) {
        case .frame(let frame):
            if let mismatch = bindings.match(expectation.pattern, frame) {
                throw failure(step, mismatch.text, expected: expectation, came: [frame])
            }
        case .end: throw failure(step, "the connection ended", expected: expectation)
        case .nothing: throw failure(step, late, expected: expectation)
        }
        held += 1
    }

    private mutating func expectSomewhere(
        _ expectation: Transcript.Expectation, _ step: Transcript.Step
    ) async throws {
        var passed: [JSONValue] = []
        let deadline = ContinuousClock.now + timeout
        while true {
            let left = max(.milliseconds(1), deadline - .now)
            switch try await next(step, within: left) {
            case .frame(let frame):
                guard bindings.match(expectation.pattern, frame) != nil else {
                    waiting[step.connection, default: []].insert(contentsOf: passed, at: 0)
                    held += 1
                    return
                }
                passed.append(frame)
            case .end:
                throw failure(step, "the connection ended", expected: expectation, came: passed)
            case .nothing: throw failure(step, late, expected: expectation, came: passed)
            }
        }
    }

    private mutating func expectClosed(_ step: Transcript.Step) async throws {
        switch try await next(step, within: timeout) {
        case .frame(let frame):
            throw failure(step, "expected the end of the connection", came: [frame])
        case .nothing: throw failure(step, "\(late); expected the end of the connection")
        case .end: held += 1
        }
    }

    private var late: String { "nothing that fits came within \(DurationText.text(timeout))" }

    private enum Next {
        case frame(JSONValue)
        case end
        case nothing
    }

    /// The oldest frame that nobody took, or the next that comes.
    private mutating func next(
        _ step: Transcript.Step, within limit: Duration
    ) async throws -> Next {
        if waiting[step.connection]?.isEmpty == false {
            return .frame(waiting[step.connection]!.removeFirst())
        }
        let line: [UInt8]?
        do {
            line = try await channel(step).nextLine(within: limit)
        } catch ConnectionError.timedOut {
            return .nothing
        } catch ConnectionError.lost {
            return .end
        }
        guard let line else { return .end }
        do throws(JSONError) {
            return .frame(try RawJSON(parsing: line).value)
        } catch {
            let text = VisibleText.escaped(String(decoding: line, as: UTF8.self))
            throw failure(step, "the server sent what is not JSON: \(text)")
        }
    }

    private func failure(
        _ step: Transcript.Step, _ problem: String, expected: Transcript.Expectation? = nil,
        came: [JSONValue] = []
    ) -> TranscriptFailure {
        let connection = step.connection.isEmpty ? "" : " on \(step.connection)"
        var text = "\(transcript.file):\(step.line):\(connection) \(problem)"
        if let expected { text += "\n  expected \(expected.source)" }
        for frame in came.suffix(Self.shownLimit) {
            text += "\n  came     \(VisibleText.escaped(frame.description))"
        }
        return TranscriptFailure(description: text)
    }

    func closeAll() async { for channel in channels.values { await channel.close() } }
}
