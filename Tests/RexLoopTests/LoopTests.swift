import Foundation
import RexLoop
import Synchronization
import Testing

/// An actor that lives on a loop.
private actor Tenant {
    let loop: Loop
    var log: [Int] = []
    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }
    init(_ loop: Loop) { self.loop = loop }
    func add(_ value: Int) -> Bool {
        log.append(value)
        return loop.isCurrent
    }
    func count() async -> Int { log.count }
    /// Whether another job of this actor had its turn between a look and what was awaited at once.
    func isOvertakenWhileAwaitingItself() async -> Bool {
        Task { log.append(0) }
        let before = log.count
        let after = await count()
        let last = await withTaskCancellationHandler {
            await withCheckedContinuation { $0.resume(returning: log.count) }
        } onCancel: {
        }
        return after != before || last != before
    }
}

@Suite struct LoopTests {
    private func start(_ loop: Loop) -> Thread {
        let thread = Thread { loop.run() }
        thread.start()
        return thread
    }

    @Test func anActorRunsOnTheLoopsThread() async {
        let loop = Loop()
        let tenant = Tenant(loop)
        _ = start(loop)
        for value in 0..<100 { #expect(await tenant.add(value)) }
        #expect(await tenant.log == Array(0..<100))
        #expect(!loop.isCurrent)
        loop.stop()
    }

    @Test func whatAnActorAwaitsOfItselfIsDoneAtOnce() async {
        let loop = Loop()
        _ = start(loop)
        let tenant = Tenant(loop)
        #expect(await !tenant.isOvertakenWhileAwaitingItself())
        loop.stop()
    }

    @Test func anInboxKeepsTheOrderOfEachSender() async {
        let loop = Loop()
        let received = Mutex<[(Int, Int)]>([])
        let (ended, continuation) = AsyncStream.makeStream(of: Void.self)
        let inbox = Inbox<(Int, Int)>(on: loop) { message in
            let count = received.withLock {
                $0.append(message)
                return $0.count
            }
            if count == 40_000 { continuation.yield() }
        }
        _ = start(loop)
        await withTaskGroup { group in
            for sender in 0..<4 {
                group.addTask { for number in 0..<10_000 { inbox.post((sender, number)) } }
            }
        }
        for await _ in ended { break }
        loop.stop()
        let all = received.withLock { $0 }
        for sender in 0..<4 {
            #expect(all.filter { $0.0 == sender }.map(\.1) == Array(0..<10_000))
        }
    }

    @Test func timersFireInOrderAndAClosedOneNever() {
        let loop = Loop()
        var fired: [String] = []
        let closed = LoopTimer(on: loop) { fired.append("closed") }
        let late = LoopTimer(on: loop) {
            fired.append("late")
            loop.stop()
        }
        let early = LoopTimer(on: loop) { fired.append("early") }
        late.arm(after: .milliseconds(20))
        early.arm(after: .milliseconds(5))
        closed.arm(after: .milliseconds(1))
        closed.close()
        var turns = 0
        loop.onTurnEnd = { turns += 1 }
        loop.run()
        #expect(fired == ["early", "late"])
        #expect(turns >= 2)
        #expect(!late.isArmed)
    }

    @Test func aSignalIsACallback() throws {
        let loop = Loop()
        var got = 0
        let source = try SignalSource(SIGUSR2, on: loop) {
            got += 1
            loop.stop()
        }
        kill(getpid(), SIGUSR2)
        loop.run()
        #expect(got == 1)
        source.close()
    }
}

@Suite struct EndpointTests {
    @Test(arguments: [
        "127.0.0.1:7390", "[::1]:0", "localhost:65535", "unix:/run/rex.sock", "example.org:1",
    ])
    func readsAndWritesTheSame(_ text: String) throws {
        #expect(try Endpoint(parsing: text).description == text)
    }

    @Test(arguments: [
        "", "7390", "host", "host:", ":1", "host:65536", "host:-1", "::1:5", "unix:", "h:1x",
        "unix:/" + String(repeating: "x", count: 108),
    ])
    func refusesWithTheText(_ text: String) {
        let error = #expect(throws: EndpointError.self) { _ = try Endpoint(parsing: text) }
        #expect(error?.description.isEmpty == false)
    }

    @Test func knowsLoopback() throws {
        for (text, loopback) in [
            ("127.0.0.1:1", true), ("127.9.9.9:1", true), ("[::1]:1", true), ("localhost:1", true),
            ("unix:/x", true), ("0.0.0.0:1", false), ("[::]:1", false), ("127.evil.org:1", false),
            ("10.0.0.1:1", false),
        ] {
            #expect(try Endpoint(parsing: text).isLoopback == loopback, "\(text)")
        }
    }
}
