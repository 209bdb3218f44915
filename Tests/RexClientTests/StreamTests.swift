import RexLoop
import Testing

@testable import RexClient

@Suite struct LineSplitterTests {
    private func split(
        _ pieces: [String], limit: Int = 100
    ) throws -> (lines: [String], holdsPartial: Bool) {
        var splitter = LineSplitter(limit: limit)
        var lines: [String] = []
        for piece in pieces {
            try Array(piece.utf8).withUnsafeBytes { bytes in
                try splitter.feed(bytes) { lines.append(String(decoding: $0, as: UTF8.self)) }
            }
        }
        return (lines, splitter.holdsPartialLine)
    }

    @Test func linesInEveryCut() throws {
        let text = "one\r\ntwo\n\n  \nthree\n"
        for cut in 0...text.utf8.count {
            let bytes = Array(text.utf8)
            let pieces = [bytes[..<cut], bytes[cut...]].map { String(decoding: $0, as: UTF8.self) }
            #expect(try split(pieces).lines == ["one", "two", "three"])
        }
        #expect(try split(["ab", "cd"]).holdsPartial)
    }

    @Test func aLineOverTheLimitIsRefusedWholeOrInPieces() {
        #expect(throws: LineSplitter.TooLong(limit: 4)) { try split(["12345\n"], limit: 4) }
        #expect(throws: LineSplitter.TooLong(limit: 4)) { try split(["123", "45"], limit: 4) }
        #expect(throws: Never.self) { try split(["1234\n", "12", "34\n"], limit: 4) }
    }
}

@Suite struct MailboxTests {
    @ClientLoop @Test func elementsComeInOrderThenTheEnd() async throws {
        let box = Mailbox<Int>()
        for number in 0..<3 { box.put(number, bytes: 1) }
        box.end()
        box.put(9, bytes: 1)
        for number in 0..<3 { #expect(try await box.take() == number) }
        #expect(try await box.take() == nil)
    }

    @ClientLoop @Test func aTakerThatWaitsIsAnswered() async throws {
        let box = Mailbox<Int>()
        let taker = Task { @ClientLoop in try await box.take() }
        await Task.yield()
        box.put(5, bytes: 1)
        #expect(try await taker.value == 5)
    }

    @ClientLoop @Test func waitingEndsByTimeByCancellationAndByAnError() async throws {
        let box = Mailbox<Int>()
        await #expect(throws: ConnectionError.self) { try await box.take(within: .milliseconds(5)) }
        let taker = Task { @ClientLoop in try await box.take() }
        await Task.yield()
        taker.cancel()
        await #expect(throws: ConnectionError.self) { try await taker.value }
        box.end(.lost("gone"))
        await #expect(throws: ConnectionError.self) { try await box.take() }
    }

    @ClientLoop @Test func itIsFullAtItsLimitsAndSaysWhenThereIsRoom() async throws {
        let box = Mailbox<Int>()
        var rooms = 0
        box.onRoom = { rooms += 1 }
        for number in 0..<ClientLimits.waitingPushes { box.put(number, bytes: 1) }
        #expect(box.isFull)
        for _ in 0..<(ClientLimits.waitingPushes / 2) { _ = try await box.take() }
        #expect(!box.isFull && rooms == 1)
        box.put(1, bytes: ClientLimits.waitingPushBytes)
        #expect(box.isFull)
    }
}

@Suite struct LineConnectionTests {
    @ClientLoop @Test func nobodyThereIsUnreachable() async throws {
        let url = try RexURL("unix:/nowhere/at/all")
        let error = await #expect(throws: ConnectionError.self) {
            try await LineConnection.open(url, timeout: patience)
        }
        guard case .unreachable(let reason)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(reason == "cannot connect to unix:/nowhere/at/all: no such file or directory")
    }

    @ClientLoop @Test func linesGoBothWaysOverAName() async throws {
        let server = try EchoServer()
        let url = try RexURL("tcp://localhost:\(server.port)")
        let connection = try await LineConnection.open(url, timeout: patience)
        connection.send(Array("one\ntwo\n".utf8))
        #expect(try await connection.nextLine(within: patience) == Array("one".utf8))
        #expect(try await connection.nextLine(within: patience) == Array("two".utf8))
        connection.finish()
        #expect(try await connection.nextLine(within: patience) == nil)
        server.close()
    }

    @ClientLoop @Test func megabytesGoThroughABoundedBoxWithoutLoss() async throws {
        let server = try EchoServer()
        let url = try RexURL("tcp://127.0.0.1:\(server.port)")
        let connection = try await LineConnection.open(url, timeout: patience)
        let line = [UInt8](repeating: UInt8(ascii: "x"), count: 9_999) + [UInt8(ascii: "\n")]
        for _ in 0..<1_000 { connection.send(line) }
        for _ in 0..<1_000 {
            #expect(try await connection.nextLine(within: patience)?.count == 9_999)
        }
        connection.close()
        server.close()
    }
}

/// Sends back what it gets; lives on the client's own loop.
@ClientLoop final class EchoServer {
    private var listener: Listener?
    private var peers: [EchoPeer] = []
    private(set) var port: UInt16 = 0

    init() throws {
        listener = try Listener(
            .tcp(host: "127.0.0.1", port: 0), on: ClientLoop.shared.loop
        ) { [weak self] socket in self?.peers.append(EchoPeer(socket)) }
        guard case .tcp(_, let port) = listener!.endpoint else { return }
        self.port = port
    }

    func close() {
        listener?.close()
        for peer in peers { peer.socket.close() }
    }
}

/// One connection of the echo server: reads on only when what it has sent has left.
@ClientLoop private final class EchoPeer: @ClientLoop SocketOwner {
    let socket: Socket

    init(_ socket: Socket) {
        self.socket = socket
        socket.owner = self
        socket.startReading()
    }

    func socket(_ socket: Socket, didRead bytes: UnsafeRawBufferPointer) {
        let chunk = Chunk(Array(bytes))
        let taken = socket.write([chunk], offset: 0)
        guard taken < chunk.count else { return }
        socket.stopReading()
        socket.writeLater([chunk], offset: taken)
    }

    func socketDidDrain(_ socket: Socket) { socket.startReading() }
    func socketDidEnd(_ socket: Socket) { socket.finish() }
    func socketDidClose(_ socket: Socket, error: LoopError?) {}
}
