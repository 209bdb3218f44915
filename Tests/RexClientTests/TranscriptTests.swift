import RexClient
import RexProtocol
import Synchronization
import Testing

/// A server in memory: answers each line with the lines that a closure gives.
private final class Echo: TranscriptChannel {
    private let answer: @Sendable (String) -> [String]
    private let state = Mutex((lines: [[UInt8]](), sent: [String](), isClosed: false))

    init(_ answer: @escaping @Sendable (String) -> [String]) { self.answer = answer }

    var sent: [String] { state.withLock { $0.sent } }

    func send(_ bytes: [UInt8]) {
        let text = String(decoding: bytes, as: UTF8.self)
        state.withLock {
            $0.sent.append(text)
            $0.lines += answer(text).map { Array($0.utf8) }
        }
    }

    func nextLine(within timeout: Duration) throws -> [UInt8]? {
        try state.withLock { state in
            if !state.lines.isEmpty { return state.lines.removeFirst() }
            if state.isClosed { return nil }
            throw ConnectionError.timedOut(after: timeout)
        }
    }

    func finish() { state.withLock { $0.isClosed = true } }
    func close() { finish() }
}

@Suite struct TranscriptTests {
    private func play(
        _ text: String, answers: [String] = []
    ) async throws -> (held: Int, sent: [String]) {
        let transcript = try Transcript(parsing: text, file: "t")
        let pending = Mutex(answers)
        let echo = Echo { _ in
            pending.withLock { pending in
                defer { pending = [] }
                return pending
            }
        }
        let held = try await TranscriptPlayer { _ in echo }.play(transcript)
        return (held, echo.sent)
    }

    private func failure(_ text: String, answers: [String] = []) async -> String {
        do {
            _ = try await play(text, answers: answers)
            return "it held"
        } catch { return "\(error)" }
    }

    @Test func membersThatAreNotNamedAreOpen() async throws {
        let result = try await play(
            """
            # a comment
            > {"op":"ping","id":1}
            < {"op":"pong"}
            """, answers: [#"{"id":1,"op":"pong","more":[1]}"#])
        #expect(result.held == 1)
        #expect(result.sent == ["{\"op\":\"ping\",\"id\":1}\n"])
    }

    @Test func variablesAreBoundThenCompared() async throws {
        let result = try await play(
            """
            > {"op":"subscribe","id":1}
            < {"op":"subscribed","sub":"$sub","rev":"$rev","epoch":"$epoch"}
            < {"op":"patch","sub":"$sub","from":"$rev","rev":"$rev+1"}
            > {"sub":"$sub","rev":"$rev","topic":"$$x","other":"$a.b"}
            """,
            answers: [
                #"{"op":"subscribed","sub":"s1","rev":7,"epoch":"e"}"#,
                #"{"op":"patch","sub":"s1","from":7,"rev":8}"#,
            ])
        #expect(result.held == 2)
        #expect(
            result.sent.last
                == "{\"sub\":\"s1\",\"rev\":7,\"topic\":\"$x\",\"other\":\"$a.b\"}\n"
        )
    }

    @Test func aDifferenceNamesFileLinePlaceAndBothFrames() async {
        let text = await failure(
            """
            > x

            < {"op":"ack",
               "rev":43}
            """, answers: [#"{"op":"ack","rev":42}"#])
        #expect(
            text == """
                t:3: /rev: expected 43, got 42
                  expected {"op":"ack","rev":43}
                  came     {"op":"ack","rev":42}
                """)
    }

    @Test func whatIsLeftOpenIsWrittenWithAnEllipsis() async throws {
        let frames = [
            #"{"state":{"a":1},"hash":"sha256:abc","list":[1,2,3],"none":[]}"#
        ]
        for pattern in [
            #"{"state":…}"#, #"{"state":"…"}"#, #"{"hash":"sha256:…"}"#, #"{"list":[1,…]}"#,
            #"{"list":[…],"none":[…]}"#, #"{"state":{…},…}"#, #"{"rev":"(none)"}"#, "…",
        ] {
            #expect(try await play("> x\n< \(pattern)", answers: frames).held == 1, "\(pattern)")
        }
        for pattern in [
            #"{"hash":"sha1:…"}"#, #"{"list":[2,…]}"#, #"{"list":[1,2]}"#, #"{"other":…}"#,
            #"{"state":"(none)"}"#, #"{"list":[1,2,3,4,…]}"#,
        ] {
            #expect(await failure("> x\n< \(pattern)", answers: frames) != "it held", "\(pattern)")
        }
    }

    @Test func aFrameSomewhereLeavesTheOthersInOrder() async throws {
        let answers = [#"{"n":1}"#, #"{"n":2}"#, #"{"n":3}"#]
        let result = try await play(
            "> x\n<~ {\"n\":2}\n< {\"n\":1}\n< {\"n\":3}", answers: answers)
        #expect(result.held == 3)
        let text = await failure("> x\n< {\"n\":2}", answers: answers)
        #expect(text.hasPrefix("t:2: /n: expected 2, got 1"))
    }

    @Test func whatNeverComesIsSaidWithItsTime() async {
        let text = await failure(
            "! within 20ms\n> x\n<~ {\"n\":2}", answers: ["{\"n\":1}", "{\"n\":3}"])
        #expect(
            text == """
                t:3: nothing that fits came within 20ms
                  expected {"n":2}
                  came     {"n":1}
                  came     {"n":3}
                """)
    }

    @Test func rawBytesAndTheEnd() async throws {
        let result = try await play(
            """
            >> "a\\u0000\\n"
            >> ff fe 0a
            >> "xy" * 3
            = finish
            = closed
            """)
        #expect(result.held == 1)
        #expect(result.sent[0] == "a\0\n")
        #expect(result.sent[2] == "xyxyxy")
        #expect(
            await failure("> x\n= finish\n= closed", answers: ["1"]).contains("end of the conn"))
    }

    @Test func anUnboundVariableIsNamed() async {
        #expect(await failure("> {\"sub\":\"$sub\"}") == "t:1: nothing has bound $sub yet")
    }

    @Test func connectionsHaveNames() async throws {
        let opened = Mutex<[String]>([])
        let transcript = try Transcript(
            parsing: "A> 1\nB> 2\nB< {\"got\":\"2\"}\nA< {\"got\":\"1\"}", file: "t")
        let player = TranscriptPlayer { name in
            opened.withLock { $0.append(name) }
            return Echo { line in ["{\"got\":\"\(line.dropLast())\"}"] }
        }
        #expect(try await player.play(transcript) == 2)
        #expect(opened.withLock { $0 } == ["A", "B"])
    }

    @Test func blocksOfMarkdownAreFound() throws {
        let text = """
            # Title
            ```transcript undo and redo
            > {"op":"undo"}
            ```
            ```json
            > not this
            ```
            ```transcript
            < {}
            ```
            """
        let found = try Transcript.read(text, file: "p.md")
        #expect(found.map(\.title) == ["undo and redo", ""])
        #expect(found.map(\.line) == [3, 9])
        #expect(found[1].steps.map(\.line) == [9])
    }

    @Test(arguments: [
        ("hello", "t:1: a line begins with"), ("= shut", "t:1: after ="),
        ("! soon", "t:1: after !"), ("> x\n< {", "t:2: "), (">> zz", "t:1: after >>"),
    ])
    func aSlipIsNamedWithItsLine(_ text: String, _ problem: String) {
        let error = #expect(throws: TranscriptSyntaxError.self) {
            try Transcript(parsing: text, file: "t")
        }
        #expect(error?.description.hasPrefix(problem) == true)
    }
}
