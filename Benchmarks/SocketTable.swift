import RexClient
import RexLoop
import RexTesting

/// Over the socket: rex-server beside a line server on plain libuv, which is the physical limit,
/// and beside NATS and Redis where they are installed. Medians of three runs.
func socketTable() async {
    print("socket: the server on core 0, medians of 3 runs; ratios are Rex to the other")
    do {
        let rex = try Target.rex()
        let targets = [rex, try Target.plainLibuv()] + Target.peers()
        defer { for target in targets { target.stop() } }
        for connections in [1, 10, 100] {
            try compare("acks/s, \(connections) connections, 64 in flight", targets) {
                try repliesPerSecond(of: $0, connections)
            }
        }
        for (name, part) in [("p50", 0.5), ("p99", 0.99)] {
            try compare("\(name) of one in flight, µs", targets) { try latency($0, part) }
        }
        for listeners in [1, 100, 1_000] {
            try compare("events delivered/s to \(listeners) listeners", targets) {
                try eventsPerSecond(of: $0, listeners).rate
            }
        }
        try compare("  processor seconds per million of them", targets) {
            try eventsPerSecond(of: $0, 1_000).seconds
        }
        for (name, part) in [("p50", 0.5), ("p99", 0.99)] {
            try compare("100 events/s to 1,000, \(name) of a delivery, µs", targets) {
                try deliveryLatency($0, part)
            }
        }
        try compare("bytes per idle connection that listens", targets) { try idleBytes($0) }
        try showCommits(rex)
    } catch {
        print("  \(error)")
    }
}

/// What only a server of states has.
private func showCommits(_ rex: Target) throws {
    show("bytes per idle connection that subscribes", [(rex.name, try idleBytes(rex, watch: true))])
    for (name, part) in [("p50", 0.5), ("p99", 0.99)] {
        let value = try patchLatency(rex, part)
        show("100 actions/s to 1,000 subscribers, \(name), µs", [(rex.name, value)])
    }
    for subscribers in [1, 100, 1_000] {
        let result = try commits(rex, subscribers)
        show("commits/s that reach \(subscribers)", [(rex.name, result.repliesPerSecond)])
        show("  as so many patches/s", [(rex.name, result.deliveriesPerSecond)])
    }
}

/// The same requests as messages of WebSockets and as lines, against the same server.
func webSocketTable() async {
    print("websocket: the server on core 0, 64 in flight on each connection, medians of 3 runs")
    do {
        let rex = try Target.rex()
        defer { rex.stop() }
        for connections in [1, 10, 100] {
            let messages = try repliesPerSecond(of: rex, connections, webSocketPath: "/ws")
            let lines = try repliesPerSecond(of: rex, connections)
            show(
                "acks/s, \(connections) connections", [("WebSocket", messages), ("lines", lines)])
        }
    } catch {
        print("  \(error)")
    }
}

// MARK: Loads

private func median<T>(_ body: () throws -> T, by value: (T) -> Double) rethrows -> T {
    try (0..<3).map { _ in try body() }.sorted { value($0) < value($1) }[1]
}

private func actions(to target: Target) -> LoadPlan {
    var plan = LoadPlan(endpoint: target.endpoint, request: target.dialect.request)
    target.dialect.prepare(&plan)
    if target.name == "Rex", let watch = target.dialect.watch {
        plan.followers = 1
        plan.follow = Array(watch.utf8)
    }
    return plan
}

private func events(to target: Target, _ listeners: Int) -> LoadPlan {
    let dialect = target.dialect
    var plan = LoadPlan(endpoint: target.endpoint, request: Array(dialect.event.utf8))
    plan.preparation = dialect.eventPreparation.map { Array($0.text.utf8) }
    plan.linesPerPreparation = dialect.eventPreparation?.lines ?? 0
    plan.followersPace = true
    plan.followers = listeners
    plan.follow = Array(dialect.listen.text.utf8)
    plan.linesPerFollow = dialect.listen.lines
    plan.linesPerDelivery = dialect.deliveryLines
    return plan
}

private func repliesPerSecond(
    of target: Target, _ connections: Int, webSocketPath: String? = nil
) throws -> Double {
    var plan = actions(to: target)
    plan.webSocketPath = webSocketPath
    plan.connections = connections
    plan.window = 64
    return try median {
        try LoadGenerator.run(plan).repliesPerSecond
    } by: {
        $0
    }
}

private func latency(_ target: Target, _ part: Double) throws -> Double {
    let plan = actions(to: target)
    return try median {
        try LoadGenerator.run(plan).latency.microseconds(at: part)
    } by: {
        $0
    }
}

private func eventsPerSecond(
    of target: Target, _ listeners: Int
) throws -> (rate: Double, seconds: Double) {
    var plan = events(to: target, listeners)
    plan.window = 64
    // A time in each would measure the clock and the load generator.
    plan.readsStamps = false
    return try median {
        let before = target.processorSeconds
        let result = try LoadGenerator.run(plan)
        // The warm-up is a fifth of the whole.
        let whole = (plan.warmUp + plan.duration) / plan.duration
        let deliveries = result.deliveriesPerSecond * (plan.duration / .seconds(1)) * whole
        let seconds = (target.processorSeconds - before) / deliveries * 1e6
        return (result.deliveriesPerSecond, (seconds * 1_000).rounded() / 1_000)
    } by: {
        $0.rate
    }
}

private func deliveryLatency(_ target: Target, _ part: Double) throws -> Double {
    var plan = events(to: target, 1_000)
    plan.requestsPerSecond = 100
    return try median {
        try LoadGenerator.run(plan).deliveryLatency.microseconds(at: part)
    } by: {
        $0
    }
}

private let follow = Array((#"{"op":"subscribe","id":1,"store":"doc"}"# + "\n").utf8)

private func patchLatency(_ target: Target, _ part: Double) throws -> Double {
    let set = #"{"op":"dispatch","id":1,"store":"doc","action":{"type":"set","payload":"#
    let request = set + #"{"path":"/at","value":"\#(LoadPlan.stamp)"}}}"# + "\n"
    var plan = LoadPlan(endpoint: target.endpoint, request: Array(request.utf8))
    plan.requestsPerSecond = 100
    plan.window = 64
    plan.followers = 1_000
    plan.follow = follow
    return try median {
        try LoadGenerator.run(plan).deliveryLatency.microseconds(at: part)
    } by: {
        $0
    }
}

private func commits(_ target: Target, _ subscribers: Int) throws -> LoadResult {
    let request =
        #"{"op":"dispatch","id":1,"store":"doc","action":"#
        + #"{"type":"increment","payload":{"path":"/n","by":1}}}"# + "\n"
    var plan = LoadPlan(endpoint: target.endpoint, request: Array(request.utf8))
    plan.window = 64
    plan.followers = subscribers
    plan.follow = follow
    return try median {
        try LoadGenerator.run(plan)
    } by: {
        $0.repliesPerSecond
    }
}

/// What the server's memory grows by for each of 2,000 connections.
private func idleBytes(_ target: Target, watch: Bool = false) throws -> Double {
    let count = 2_000
    var plan = events(to: target, count)
    if watch, let line = target.dialect.watch { plan.follow = Array(line.utf8) }
    plan.connections = 0
    plan.followersPace = false
    plan.duration = .milliseconds(1_500)
    let before = target.residentBytes
    var grown = 0
    _ = try LoadGenerator.run(plan) { _ in grown = target.residentBytes - before }
    return Double(grown) / Double(count)
}

// MARK: Rows

private func compare(
    _ title: String, _ targets: [Target], _ value: (Target) throws -> Double
) throws {
    show(title, try targets.map { ($0.name, try value($0)) })
}

/// The first value, and each other with the ratio of the first to it.
func show(_ title: String, _ values: [(name: String, value: Double)]) {
    let name = title + String(repeating: " ", count: max(0, 46 - title.count))
    let first = values[0].value
    var line = "  \(name) \(text(first))"
    for (name, value) in values.dropFirst() {
        line += "   \(name) \(text(value))"
        if value > 0 { line += " (\((first / value * 100).rounded() / 100))" }
    }
    print(line)
}

private func text(_ value: Double) -> String {
    if value < 10 { return "\((value * 1_000).rounded() / 1_000)" }
    return value < 10_000 ? "\((value * 10).rounded() / 10)" : "\(Int(value))"
}
