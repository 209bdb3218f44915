import FoundationEssentials
import RexClient
import RexLoop
import RexTesting

/// Durable dispatch beside a Redis that syncs each XADD, in the same run, and beside the disk
/// alone. The servers run on core 0, the load on another.
func durableTable() async {
    print("durable: acks that wait for the disk, servers on core 0, median of 3 runs")
    do {
        let folder = try scratch()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        show(
            "p50 of a write of 4 KiB and fdatasync, µs",
            [("disk", DiskSpeed.syncMicroseconds(in: folder) ?? 0)])
        let rex = try ServerProcess(
            program: ServerProcess.builtPrograms + "/rex-server",
            listen: ["unix:\(folder)/rex.sock"], options: ["--data", folder + "/rex"],
            prefix: ["taskset", "-c", "0"])
        // Redis writes on its one thread; the core of our loop is the one that is compared.
        let apart = try ServerProcess(
            program: ServerProcess.builtPrograms + "/rex-server",
            listen: ["unix:\(folder)/apart.sock"], options: ["--data", folder + "/apart"],
            prefix: ["taskset", "-c", "0"])
        try freeWriter(of: apart)
        let redis = try? Redis(folder)
        let one = try middle { try load(rex, 1, 1).latency.microseconds(at: 0.5) }
        show("p50 of one durable action in flight, µs", [("rex", one)])
        for window in [1, 2, 16] {
            let ours = try middle { try load(rex, 50, window).repliesPerSecond }
            var values = [("rex", ours)]
            if let redis { values.append(("redis", try middle { try redis.rate(window) })) }
            show("acks/s, 50 connections x \(window)", values)
            values[0].1 = try middle { try load(apart, 50, window).repliesPerSecond }
            show("  its writing thread on any core", values)
        }
    } catch {
        print("  \(error)")
    }
}

/// How long a server takes from its start to its first answer where a million commits are stored.
func recoveryTable() async {
    print("recovery: a server that was killed with 1,000,000 commits in its journal, defaults")
    do {
        let folder = try scratch()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let data = ["--data", folder + "/rex"]
        let program = ServerProcess.builtPrograms + "/rex-server"
        var server = try ServerProcess(program: program, options: data)
        var commits = 0.0
        while commits < 1_000_000 {
            commits += try load(server, 50, 64).repliesPerSecond * loadSeconds
        }
        try server.kill()
        var times: [Double] = []
        for _ in 0..<3 {
            let start = ContinuousClock.now
            server = try ServerProcess(program: program, options: data)
            times.append((ContinuousClock.now - start) / .milliseconds(1))
            try server.kill()
        }
        show("commits, at least", [("rex", commits)])
        show("from the start to ready, ms", [("rex", times.sorted()[1])])
    } catch {
        print("  \(error)")
    }
}

/// Lets the thread that writes the journal run on any core.
private func freeWriter(of server: ServerProcess) throws {
    let tasks = "/proc/\(server.process.pid)/task"
    for task in try FileManager.default.contentsOfDirectory(atPath: tasks) {
        let name = try String(contentsOfFile: "\(tasks)/\(task)/comm", encoding: .utf8)
        guard name == "rex-journal\n" else { continue }
        let last = ProcessInfo.processInfo.processorCount - 1
        try ChildProcess(["taskset", "-a", "-pc", "0-\(last)", task]).wait()
    }
}

private func scratch() throws -> String {
    let folder = FileManager.default.temporaryDirectory.path + "/rex-bench-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    return folder
}

/// How long each load lasts.
private let loadSeconds = 3.0

private func middle(_ body: () throws -> Double) rethrows -> Double {
    try (0..<3).map { _ in try body() }.sorted()[1]
}

private func load(
    _ server: ServerProcess, _ connections: Int, _ window: Int
) throws -> LoadResult {
    let action = #"{"op":"dispatch","id":1,"store":"counter","action":{"type":"add","payload":1}}"#
    var plan = LoadPlan(
        endpoint: try Endpoint(parsing: server.address), request: Array(action.utf8) + [10])
    plan.connections = connections
    plan.duration = .seconds(loadSeconds)
    plan.window = window
    return try LoadGenerator.run(plan)
}

/// A Redis of our own that syncs before it answers; nil where it is not installed.
private struct Redis {
    let process: ChildProcess
    let socket: String

    init(_ folder: String) throws {
        socket = folder + "/redis.sock"
        process = try ChildProcess([
            "taskset", "-c", "0", "redis-server", "--port", "0", "--unixsocket", socket, "--dir",
            folder, "--appendonly", "yes", "--appendfsync", "always", "--save", "",
        ])
        try process.output(until: "eady to accept connections")
    }

    /// XADD a second by 50 connections with so many in flight.
    func rate(_ window: Int) throws -> Double {
        let child = try ChildProcess([
            "redis-benchmark", "-s", socket, "-c", "50", "-P", "\(window)", "-n",
            "\(100_000 * window)", "--csv", "XADD", "s", "MAXLEN", "~", "1000", "*", "n", "1",
        ])
        let text = try child.rest(within: .seconds(120))
        let row = text.split(separator: "\n").last ?? ""
        let fields = row.split(separator: "\"", omittingEmptySubsequences: true)
        return fields.compactMap { Double($0) }.first ?? 0
    }
}
