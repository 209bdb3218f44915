import Foundation
import Rex
import RexClient
import RexProtocol
import RexTesting
import Testing

@testable import RexServer

/// A server with a journal, its clients, and a clock that passes a day in seconds.
final class Day {
    static let length = Duration.seconds(86_400)
    private static let morning = Date(timeIntervalSince1970: 1_800_000_000)

    let clock = TestClock()
    let clients = (1...5).map { DayClient("c\($0)") }
    private(set) var server: Server
    private(set) var store: LocalStore<DayState, DayAction>
    private(set) var folder: String
    private(set) var lives = 1
    private var journal: KilledJournal
    private var url: RexURL
    private let root: String
    private var random: SeededRandom

    init(seed: UInt64) async throws {
        random = SeededRandom(seed: seed)
        root = FileManager.default.temporaryDirectory.path + "/rex-day-\(UUID().uuidString)"
        folder = "\(root)/1"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        (server, store, journal, url) = try await Self.start(in: folder, clock)
        for client in clients { try await client.connect(url) }
    }

    deinit { try? FileManager.default.removeItem(atPath: root) }

    private static func start(
        in folder: String, _ clock: TestClock
    ) async throws -> (Server, LocalStore<DayState, DayAction>, KilledJournal, RexURL) {
        var configuration = Server.Configuration()
        configuration.limits.snapshotCommits = 200
        configuration.limits.historyCommits = 300
        configuration.limits.drainMilliseconds = 500
        configuration.log = Log(write: { _ in })
        let server = Server(configuration)
        let path = "\(folder)/\(JournalFolder.fileName)"
        let journal = try KilledJournal(path: path)
        try await server.begin(journal, try SQLiteJournal(reading: path), clock) {
            let (seconds, atto) = clock.now.offset.components
            return morning.addingTimeInterval(Double(seconds) + Double(atto) / 1e18)
        }
        let store = try await server.host("day", DayReducer(), initialState: DayState())
        return (
            server, store, journal,
            try RexURL("tcp://\(try await server.listen(on: "127.0.0.1:0"))")
        )
    }

    // MARK: Traffic

    /// Lives through the day in so many steps.
    func live(steps: Int) async throws {
        for step in 0..<steps {
            try await act()
            let left = Self.length - clock.now.offset
            let part = Int.random(in: 0...2_000, using: &random)
            clock.advance(by: min(left, Self.length * part / (1_000 * steps)))
            if step == steps - 1 { clock.advance(by: max(.zero, left)) }
        }
    }

    private func act() async throws {
        let client = clients.randomElement(using: &random)!
        let id = "r\(Int.random(in: 0..<8, using: &random))"
        let seconds = Int.random(in: 1...7_200, using: &random)
        switch Int.random(in: 0..<100, using: &random) {
        case 0..<40: await client.add(1)
        case 40..<50: await client.add(Int.random(in: 2...30, using: &random))
        case 50..<55: await client.repeatLast()
        case 55..<67:
            await client.dispatch("remind", ["id": .string(id), "seconds": .int(seconds)])
        case 67..<70: await client.dispatch("forget", .string(id))
        case 70..<74: await client.dispatch("work", .int(seconds))
        case 74..<88:
            let present = await store.revision
            let revision = Int.random(in: max(0, present - 320)...present, using: &random)
            await client.travel(Int.random(in: 0..<4, using: &random), to: revision)
        case 88..<96:
            try await client.disconnect()
            try await client.connect(url)
        case 96..<98: try await restart { await server.stop() }
        default: try await kill()
        }
    }

    /// All clients write, and in the middle of it the process is gone.
    private func kill() async throws {
        let next = "\(root)/\(lives + 1)"
        try FileManager.default.createDirectory(atPath: next, withIntermediateDirectories: true)
        let writing = clients.map { client in Task { await client.add(20) } }
        for _ in 0..<Int.random(in: 0..<200, using: &random) { await Task.yield() }
        try journal.kill(copyingTo: next)
        await server.stop()
        for task in writing { await task.value }
        folder = next
        try await restart {}
    }

    private func restart(_ end: () async -> Void) async throws {
        await end()
        for client in clients { try await client.disconnect() }
        lives += 1
        (server, store, journal, url) = try await Self.start(in: folder, clock)
        for client in clients { try await client.connect(url) }
    }

    // MARK: Evening

    /// Lets everything that waits for its time have it.
    func settle() async {
        while await !store.effects.isEmpty {
            clock.advance(by: .seconds(60))
            await Task.yield()
        }
    }

    /// The clients' replicas, each at the store's last revision, or at one since which nothing has
    /// changed: of such a commit nobody is told.
    func replicas() async throws -> [Replica] {
        let last = await store.snapshot
        let json = try JSONCoder.value(of: last.state)
        let deadline = ContinuousClock.now + .seconds(60)
        var found: [Replica] = []
        for client in clients {
            while await client.replica?.position.rev != last.revision,
                await client.replica?.state != json
            {
                try #require(ContinuousClock.now < deadline, "\(client.name) does not catch up")
                await Task.yield()
            }
            found.append(try #require(await client.replica))
        }
        return found
    }

    /// What the server says that it holds, by the names of its gauges.
    func gauges() async -> [String: Int] { await server.gauges() }
}

extension Server {
    fileprivate func begin(
        _ journal: any Journal, _ reader: any Journal, _ clock: TestClock,
        calendar: @escaping @Sendable () -> Date
    ) throws {
        effectClock = clock
        self.calendar = calendar
        try use(journal, readingFrom: reader, .sync)
    }

    fileprivate func gauges() -> [String: Int] {
        let page = String(decoding: metricsPage().body, as: UTF8.self)
        var sums: [String: Int] = [:]
        let names = [
            "rex_connections", "rex_subscriptions", "rex_effects", "rex_listeners",
            "rex_outbox_bytes", "rex_journal_pending_bytes",
        ]
        for line in page.split(separator: "\n") {
            let name = String(line.prefix { $0 != "{" && $0 != " " })
            guard names.contains(name), let value = line.split(separator: " ").last else {
                continue
            }
            sums[name, default: 0] += Int(value) ?? -1
        }
        return sums
    }
}
