import RexClient
import RexLoop
import RexTesting

/// Over the socket: rex-server and, as the physical limit, a line server on plain libuv that does
/// nothing but move bytes. Each runs on core 0; the load runs here. Medians of three runs.
func socketTable() async {
    print("socket: the server on core 0, 64 requests in flight a connection, median of 3 runs")
    do {
        let rex = try Target.rex()
        let peer = try Target.peer()
        defer {
            rex.process.signal(Target.terminate)
            peer.process.signal(Target.terminate)
        }
        for connections in [1, 10, 100] {
            try compare("acks/s, \(connections) connections, one subscriber", rex, peer) {
                try repliesPerSecond(of: $0, connections)
            }
        }
        try compare("p50 of one action in flight, µs", rex, peer) { try latency($0, 0.5) }
        try compare("p99 of one action in flight, µs", rex, peer) { try latency($0, 0.99) }
        for listeners in [1, 100, 1_000] {
            try compare("events delivered/s to \(listeners) listeners", rex, peer) {
                try eventsPerSecond(of: $0, listeners)
            }
        }
        for subscribers in [1, 100, 1_000] {
            let result = try commits(rex, subscribers)
            show("commits/s that reach \(subscribers) subscribers", result.repliesPerSecond, nil)
            show("  as so many patches/s", result.deliveriesPerSecond, nil)
        }
    } catch {
        print("  \(error)")
    }
}

/// The same requests as messages of WebSockets and as lines, against the same server.
func webSocketTable() async {
    print("websocket: the server on core 0, beside lines over TCP, median of 3 runs")
    do {
        let rex = try Target.rex()
        defer { rex.process.signal(Target.terminate) }
        for connections in [1, 10, 100] {
            try overWebSocket("acks/s, \(connections) connections, one subscriber", rex) {
                try repliesPerSecond(of: $0, connections, overWebSocket: $1)
            }
        }
    } catch {
        print("  \(error)")
    }
}

/// One server to put a load on.
private struct Target {
    let endpoint: Endpoint
    let process: ChildProcess
    /// The rex-server, which has a folder of its own.
    var server: ServerProcess?

    static let terminate: Int32 = 15
    private static let firstCore = ["taskset", "-c", "0"]

    static func rex() throws -> Target {
        let server = try ServerProcess(
            program: ServerProcess.builtPrograms + "/rex-server", prefix: firstCore)
        return Target(
            endpoint: try Endpoint(parsing: server.address), process: server.process,
            server: server)
    }

    static func peer() throws -> Target {
        let process = try ChildProcess(firstCore + [ServerProcess.builtPrograms + "/uv-peer"])
        let port = UInt16(try process.line()) ?? 0
        return Target(endpoint: .tcp(host: "127.0.0.1", port: port), process: process)
    }
}

/// The lines that are sent.
private enum Line {
    static let action = line(
        #"{"op":"dispatch","id":1,"store":"counter","action":{"type":"add","payload":1}}"#)
    static let commit = line(
        #"{"op":"dispatch","id":1,"store":"doc","action":"#
            + #"{"type":"increment","payload":{"path":"/n","by":1}}}"#)
    static let event = line(
        #"{"op":"publish","topic":"t","ack":false,"data":{"n":1,"pad":""#
            + String(repeating: "x", count: 60) + #""}}"#)
    static let listen = line(#"{"op":"listen","id":1,"topic":"t"}"#)
    static let watchCounter = line(#"{"op":"subscribe","id":1,"store":"counter"}"#)
    static let watchDocument = line(#"{"op":"subscribe","id":1,"store":"doc"}"#)

    private static func line(_ text: String) -> [UInt8] { Array(text.utf8) + [10] }
}

private func median<T>(_ body: () throws -> T, by value: (T) -> Double) rethrows -> T {
    try (0..<3).map { _ in try body() }.sorted { value($0) < value($1) }[1]
}

private func repliesPerSecond(
    of target: Target, _ connections: Int, overWebSocket: Bool = false
) throws -> Double {
    var plan = LoadPlan(endpoint: target.endpoint, request: Line.action)
    plan.overWebSocket = overWebSocket
    plan.connections = connections
    plan.window = 64
    if target.server != nil {
        plan.followers = 1
        plan.follow = Line.watchCounter
    }
    return try median {
        try LoadGenerator.run(plan).repliesPerSecond
    } by: {
        $0
    }
}

private func latency(_ target: Target, _ part: Double) throws -> Double {
    var plan = LoadPlan(endpoint: target.endpoint, request: Line.action)
    if target.server != nil {
        plan.followers = 1
        plan.follow = Line.watchCounter
    }
    return try median {
        try LoadGenerator.run(plan).latency.microseconds(at: part)
    } by: {
        $0
    }
}

private func eventsPerSecond(of target: Target, _ listeners: Int) throws -> Double {
    var plan = LoadPlan(endpoint: target.endpoint, request: Line.event)
    plan.window = 64
    plan.followersPace = true
    plan.followers = listeners
    plan.follow = Line.listen
    return try median {
        try LoadGenerator.run(plan).deliveriesPerSecond
    } by: {
        $0
    }
}

private func commits(_ target: Target, _ subscribers: Int) throws -> LoadResult {
    var plan = LoadPlan(endpoint: target.endpoint, request: Line.commit)
    plan.window = 64
    plan.followers = subscribers
    plan.follow = Line.watchDocument
    return try median {
        try LoadGenerator.run(plan)
    } by: {
        $0.repliesPerSecond
    }
}

private func compare(
    _ title: String, _ rex: Target, _ peer: Target, _ value: (Target) throws -> Double
) throws {
    show(title, try value(rex), try value(peer))
}

/// The same over a WebSocket and over lines.
private func overWebSocket(
    _ title: String, _ rex: Target, _ value: (Target, Bool) throws -> Double
) throws {
    show(title, try value(rex, true), try value(rex, false), beside: "lines")
}

func show(_ title: String, _ rex: Double, _ peer: Double?, beside: String = "plain libuv") {
    let name = title + String(repeating: " ", count: max(0, 46 - title.count))
    let ours = rex < 10_000 ? "\((rex * 10).rounded() / 10)" : "\(Int(rex))"
    guard let peer, peer > 0 else {
        print("  \(name) \(ours)")
        return
    }
    let theirs = peer < 10_000 ? "\((peer * 10).rounded() / 10)" : "\(Int(peer))"
    print("  \(name) \(ours)   \(beside) \(theirs)   ratio \((rex / peer * 100).rounded() / 100)")
}
