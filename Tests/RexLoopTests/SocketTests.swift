import Foundation
import RexLoop
import Synchronization
import Testing

/// Answers every byte it gets; counts what it hears.
private final class Echo: SocketOwner {
    var sockets: [ObjectIdentifier: Socket] = [:]
    var pending: [ObjectIdentifier: [Chunk]] = [:]
    var closed = 0
    var ended = 0

    func accept(_ socket: Socket) {
        sockets[ObjectIdentifier(socket)] = socket
        socket.owner = self
        socket.startReading()
    }

    func socket(_ socket: Socket, didRead bytes: UnsafeRawBufferPointer) {
        pending[ObjectIdentifier(socket), default: []].append(Chunk([UInt8](bytes)))
        flush(socket)
    }

    func flush(_ socket: Socket) {
        let id = ObjectIdentifier(socket)
        guard let first = pending[id]?.first, !socket.isDraining else { return }
        let taken = socket.write(pending[id]![...], offset: 0)
        if taken < first.count {
            socket.writeLater(pending[id]![...], offset: taken)
            pending[id] = []
        } else {
            var left = taken
            while let next = pending[id]?.first, next.count <= left {
                left -= next.count
                pending[id]!.removeFirst()
            }
            if !pending[id]!.isEmpty {
                socket.writeLater(pending[id]![...], offset: left)
                pending[id] = []
            }
        }
    }

    func socketDidDrain(_ socket: Socket) { flush(socket) }
    func socketDidEnd(_ socket: Socket) {
        ended += 1
        socket.finish()
        socket.close()
    }
    func socketDidClose(_ socket: Socket, error: LoopError?) {
        closed += 1
        sockets[ObjectIdentifier(socket)] = nil
    }
}

/// Sends a megabyte, then waits until as much came back.
private final class Caller: SocketOwner {
    let payload: [UInt8]
    var received: [UInt8] = []
    var error: LoopError?
    var done: () -> Void = {}

    init(_ payload: [UInt8]) { self.payload = payload }

    func socketDidConnect(_ socket: Socket) {
        socket.startReading()
        socket.writeLater([Chunk(payload)], offset: 0)
    }
    func socket(_ socket: Socket, didRead bytes: UnsafeRawBufferPointer) {
        received.append(contentsOf: bytes)
        if received.count == payload.count { socket.close() }
    }
    func socketDidEnd(_ socket: Socket) { socket.close() }
    func socketDidDrain(_ socket: Socket) {}
    func socketDidClose(_ socket: Socket, error: LoopError?) {
        self.error = error
        done()
    }
}

/// A cipher that answers each byte with one of its own, and has nothing to say to its owner.
private final class Talkative: SocketCipher {
    let isOpen = true
    let hasEnded = false
    private var outgoing: [UInt8] = []

    func receive(_ bytes: UnsafeRawBufferPointer, _ body: (UnsafeRawBufferPointer) -> Void) {
        outgoing += bytes
    }
    func send(_ bytes: UnsafeRawBufferPointer) { outgoing += bytes }
    func takeOutgoing() -> [UInt8] {
        defer { outgoing = [] }
        return outgoing
    }
    func end() {}
}

/// Puts a cipher on what it accepts; tells how much arrived and how it ended.
private final class Secured: SocketOwner {
    var socket: Socket?
    var error: LoopError?
    var done: () -> Void = {}

    func accept(_ socket: Socket) {
        self.socket = socket
        socket.owner = self
        socket.secure(with: Talkative())
        socket.startReading()
    }
    func socket(_ socket: Socket, didRead bytes: UnsafeRawBufferPointer) {}
    func socketDidEnd(_ socket: Socket) { socket.close() }
    func socketDidDrain(_ socket: Socket) {}
    func socketDidClose(_ socket: Socket, error: LoopError?) {
        self.error = error
        done()
    }
}

/// Asks again and again: where it reads, after each answer; otherwise as fast as it is taken.
private final class Asker: SocketOwner {
    static let piece = [UInt8](repeating: 1, count: 16_384)
    static let pieces = 4_096
    let reads: Bool
    private var written = 0
    private(set) var received = 0

    init(reads: Bool) { self.reads = reads }

    func socketDidConnect(_ socket: Socket) {
        if reads { socket.startReading() }
        ask(socket)
    }
    private func ask(_ socket: Socket) {
        guard written < Self.pieces else { return socket.close() }
        written += 1
        socket.writeLater([Chunk(Self.piece)], offset: 0)
    }
    func socket(_ socket: Socket, didRead bytes: UnsafeRawBufferPointer) {
        received += bytes.count
        if received == written * Self.piece.count { ask(socket) }
    }
    func socketDidEnd(_ socket: Socket) { socket.close() }
    func socketDidDrain(_ socket: Socket) { if !reads { ask(socket) } }
    func socketDidClose(_ socket: Socket, error: LoopError?) {}
}

@Suite struct SocketTests {
    /// Runs `body` on a loop of its own, on this thread, until it calls its `stop`.
    private func onLoop(_ body: (Loop, @escaping () -> Void) throws -> Void) rethrows {
        let loop = Loop()
        let guardTimer = LoopTimer(on: loop) {
            Issue.record("the loop did not end within 20 s")
            loop.stop()
        }
        guardTimer.arm(after: .seconds(20))
        try body(loop) { loop.stop() }
        loop.run()
    }

    @Test(arguments: ["127.0.0.1:0", "[::1]:0", "unix"])
    func aMegabyteComesBackAndEverythingIsClosed(_ place: String) throws {
        let path = "/tmp/rex-loop-\(UUID().uuidString.prefix(8)).sock"
        let endpoint = try Endpoint(parsing: place == "unix" ? "unix:\(path)" : place)
        let echo = Echo()
        let caller = Caller((0..<1_000_000).map { UInt8(truncatingIfNeeded: $0) })
        var listener: Listener?
        var outgoing: Socket?
        try onLoop { loop, stop in
            listener = try Listener(endpoint, on: loop) { echo.accept($0) }
            outgoing = try Socket.connect(to: listener!.endpoint, on: loop, owner: caller)
            caller.done = stop
        }
        #expect(caller.received == caller.payload)
        #expect(caller.error == nil)
        #expect(echo.closed == 1 && echo.sockets.isEmpty)
        #expect(outgoing?.isClosing == true)
        #expect(!FileManager.default.fileExists(atPath: path))
    }

    /// What a cipher answers by itself does not pile up for one who never reads it.
    @Test(arguments: [true, false])
    func aCiphersAnswersAreHeldForOneWhoReadsThem(reads: Bool) throws {
        let secured = Secured()
        let asker = Asker(reads: reads)
        var listener: Listener?
        var outgoing: Socket?
        try onLoop { loop, stop in
            listener = try Listener(.tcp(host: "127.0.0.1", port: 0), on: loop) {
                secured.accept($0)
            }
            outgoing = try Socket.connect(to: listener!.endpoint, on: loop, owner: asker)
            secured.done = stop
        }
        #expect(outgoing != nil)
        #expect((secured.error == nil) == reads)
        #expect((asker.received == Asker.pieces * Asker.piece.count) == reads)
        if let error = secured.error { #expect(error.description.contains("does not read")) }
    }

    @Test func anAddressInUseIsNamed() throws {
        try onLoop { loop, stop in
            let first = try Listener(.tcp(host: "127.0.0.1", port: 0), on: loop) { _ in }
            let error = #expect(throws: LoopError.self) {
                _ = try Listener(first.endpoint, on: loop) { _ in }
            }
            #expect(
                error?.description == "cannot listen on \(first.endpoint): address already in use")
            stop()
        }
    }

    @Test func nobodyListeningIsAnError() throws {
        let caller = Caller([1])
        var outgoing: Socket?
        try onLoop { loop, stop in
            let free = try Listener(.tcp(host: "127.0.0.1", port: 0), on: loop) { _ in }
            let endpoint = free.endpoint
            free.close()
            outgoing = try Socket.connect(to: endpoint, on: loop, owner: caller)
            caller.done = stop
        }
        #expect(caller.error?.isUnreachable == true)
        #expect(outgoing?.isClosing == true)
    }

    @Test func aStaleSocketFileIsReplacedAndOneInUseIsNot() throws {
        let path = "/tmp/rex-loop-\(UUID().uuidString.prefix(8)).sock"
        let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        let bound = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        #expect(bound == 0)
        close(descriptor)
        try onLoop { loop, stop in
            let listener = try Listener(.unix(path: path), on: loop) { _ in }
            #expect(throws: LoopError.self) {
                _ = try Listener(listener.endpoint, on: loop) { _ in }
            }
            stop()
        }
    }
}
