import RexClient
import RexProtocol
import RexTesting
import Testing

/// The reasons of `bye` that no transcript can bring about.
@Suite(.serialized, .ownThreads) struct EndTests {
    @Test func aShutdownIsSaidToEverybody() async throws {
        let server = try ServerProcess(program: ServerProcess.builtPrograms + "/rex-server")
        let watcher = try await Self.connect(server)
        try await watcher.play(
            """
            > {"op":"listen","topic":"$server.>"}
            < {"op":"listening","listen":"t1"}
            > {"type":"increment","store":"counter","id":1}
            < {"op":"ack","id":1,"store":"counter","rev":1}
            """)
        server.process.signal(15)
        try await watcher.play(
            """
            < {"op":"event","listen":"t1","topic":"$server.shutdown","data":null}
            < {"op":"bye","code":"shutting_down","reconnect":true}
            = closed
            """)
        #expect(try server.process.wait() == .exited(0))
    }

    /// More than the kernel's buffers and the outbox hold, read by nobody.
    @Test func whoDoesNotReadItsEventsIsClosedWhereItWantsNoGaps() async throws {
        // Time enough to read what came before the reason.
        let server = try Programs.startServer(limits: "\"linger_ms\": 60000")
        let (sleeper, speaker) = (try await Self.connect(server), try await Self.connect(server))
        try await sleeper.play(
            "> {\"op\":\"listen\",\"topic\":\"a\",\"slow\":\"close\"}\n< {\"op\":\"listening\"}")
        let data = String(repeating: "x", count: 500_000)
        let event = Array("{\"op\":\"publish\",\"topic\":\"a\",\"data\":\"\(data)\"}\n".utf8)
        // A speaker whose events reach nobody has seen its listener leave.
        var listeners = 1
        var published = 0
        while listeners > 0 {
            await speaker.line.send(event)
            let ack = try await speaker.next()
            listeners = try #require(ack?["listeners"]?.int)
            published += 1
            try #require(published < 200, "100 MB wait for somebody who does not read")
        }
        var last: JSONValue?
        while let frame = try await sleeper.next() { last = frame }
        #expect(last?["op"] == "bye" && last?["code"] == "too_slow" && last?["reconnect"] == true)
    }

    private static func connect(_ server: ServerProcess) async throws -> Talk {
        Talk(
            line: try await LineConnection.open(
                RexURL(server.address), timeout: ChildProcess.patience))
    }
}

/// One connection on which several transcripts are played in turn.
private struct Talk {
    let line: LineConnection

    func play(_ text: String) async throws {
        let transcript = try Transcript(parsing: text, file: "talk")
        let line = line
        try await TranscriptPlayer { _ in KeptOpen(line: line) }.play(transcript)
    }

    func next() async throws -> JSONValue? {
        try await line.nextLine(within: ChildProcess.patience).map {
            try RawJSON(parsing: $0).value
        }
    }
}

/// A player closes its channels at its end; the connection shall outlive it.
private struct KeptOpen: TranscriptChannel {
    let line: LineConnection

    func send(_ bytes: [UInt8]) async throws { await line.send(bytes) }
    func nextLine(within timeout: Duration) async throws -> [UInt8]? {
        try await line.nextLine(within: timeout)
    }
    func finish() async { await line.finish() }
    func close() async {}
}
