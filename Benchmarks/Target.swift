import FoundationEssentials
import RexClient
import RexLoop
import RexTesting

/// One server to put a load on, and what is said to it.
///
/// All are held to core 0; the load runs on the core that the benchmark was started on.
struct Target {
    let name: String
    let process: ChildProcess
    let endpoint: Endpoint
    let dialect: Dialect

    private static let terminate: Int32 = 15
    private static let firstCore = ["taskset", "-c", "0"]

    func stop() { process.signal(Self.terminate) }

    static func rex() throws -> Target {
        let server = try ServerProcess(
            program: ServerProcess.builtPrograms + "/rex-server", prefix: firstCore)
        return Target(
            name: "Rex", process: server.process, endpoint: try Endpoint(parsing: server.address),
            dialect: .rex)
    }

    /// The physical limit: a line server on plain libuv that does nothing but move bytes.
    static func plainLibuv() throws -> Target {
        let process = try ChildProcess(firstCore + [ServerProcess.builtPrograms + "/uv-peer"])
        let port = UInt16(try process.line()) ?? 0
        return Target(
            name: "plain libuv", process: process, endpoint: .tcp(host: "127.0.0.1", port: port),
            dialect: .rex)
    }

    /// The others that are installed here.
    static func peers() -> [Target] {
        [nats, redis].compactMap { start in
            do { return try start() } catch {
                print("  (\(error))")
                return nil
            }
        }
    }

    private static func nats() throws -> Target {
        try start("NATS", "nats-server", .nats) { ["-a", "127.0.0.1", "-p", "\($0)"] }
    }

    private static func redis() throws -> Target {
        try start("Redis", "redis-server", .redis) {
            ["--bind", "127.0.0.1", "--port", "\($0)", "--save", "", "--appendonly", "no"]
        }
    }

    private static func start(
        _ name: String, _ program: String, _ dialect: Dialect, _ words: (UInt16) -> [String]
    ) throws -> Target {
        let port = try freePort()
        let process = try ChildProcess(firstCore + [program] + words(port))
        let target = Target(
            name: name, process: process, endpoint: .tcp(host: "127.0.0.1", port: port),
            dialect: dialect)
        var plan = LoadPlan(endpoint: target.endpoint, request: dialect.request)
        dialect.prepare(&plan)
        (plan.warmUp, plan.duration) = (.milliseconds(1), .milliseconds(1))
        let deadline = ContinuousClock.now + ChildProcess.patience
        while true {
            do {
                _ = try LoadGenerator.run(plan)
                return target
            } catch {
                guard ContinuousClock.now < deadline, process.isRunning else {
                    throw NotInstalled(name: program)
                }
            }
        }
    }

    /// A port that nobody had a moment ago.
    private static func freePort() throws -> UInt16 {
        let listener = try Listener(.tcp(host: "127.0.0.1", port: 0), on: Loop()) { _ in }
        defer { listener.close() }
        guard case .tcp(_, let port) = listener.endpoint else { return 0 }
        return port
    }

    // MARK: What it costs

    /// Processor time that it has used, in seconds.
    var processorSeconds: Double {
        // Fields 14 and 15 of proc(5)'s stat, in hundredths; the name before them may hold blanks.
        let fields = Self.read("/proc/\(process.pid)/stat").split(separator: ")").last?
            .split(separator: " ")
        guard let fields, fields.count > 12 else { return 0 }
        return ((Double(fields[11]) ?? 0) + (Double(fields[12]) ?? 0)) / 100
    }

    /// Memory that it has, in bytes.
    var residentBytes: Int {
        let fields = Self.read("/proc/\(process.pid)/statm").split(separator: " ")
        return fields.count > 1 ? (Int(fields[1]) ?? 0) * 4_096 : 0
    }

    private static func read(_ path: String) -> String {
        (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
    }
}

private struct NotInstalled: Error, CustomStringConvertible {
    let name: String
    var description: String { "no \(name) here" }
}

/// What a load says to a server, and how many lines come back.
struct Dialect: Sendable {
    /// Said first on each connection that asks, and the lines of its reply.
    var preparation: (text: String, lines: Int)?
    /// A request that changes something small and is acked.
    var action: String
    var actionLines = 1
    /// An event of about 120 bytes with the time of its sending, to those that listen.
    var event: String
    /// Said first by who publishes events.
    var eventPreparation: (text: String, lines: Int)?
    var listen: (text: String, lines: Int)
    var deliveryLines = 1
    /// Makes a connection a subscriber of the state that `action` changes, where there is one.
    var watch: String?

    private static let data =
        #"{"n":1,"at":"\#(LoadPlan.stamp)","pad":"\#(String(repeating: "x", count: 80))"}"#

    var request: [UInt8] { Array(action.utf8) }

    func prepare(_ plan: inout LoadPlan) {
        plan.preparation = preparation.map { Array($0.text.utf8) }
        plan.linesPerPreparation = preparation?.lines ?? 0
        plan.linesPerReply = actionLines
    }

    static let rex = Dialect(
        action: #"{"op":"dispatch","id":1,"store":"counter","action":{"type":"add","payload":1}}"#
            + "\n",
        event: #"{"op":"publish","topic":"t","ack":false,"data":\#(data)}"# + "\n",
        listen: (#"{"op":"listen","id":1,"topic":"t"}"# + "\n", 1),
        watch: #"{"op":"subscribe","id":1,"store":"counter"}"# + "\n")

    /// `INFO` comes first; with verbose each message is acked by `+OK`.
    static let nats = Dialect(
        preparation: (#"CONNECT {"verbose":true}"# + "\r\n", 2),
        action: "PUB a 120\r\n\(String(repeating: "x", count: 120))\r\n",
        event: "PUB t \(data.utf8.count)\r\n\(data)\r\n",
        eventPreparation: (#"CONNECT {"verbose":false}"# + "\r\nPING\r\n", 2),
        listen: (#"CONNECT {"verbose":false}"# + "\r\nSUB t 1\r\nPING\r\n", 2), deliveryLines: 2)

    static let redis = Dialect(
        action: "*2\r\n$4\r\nINCR\r\n$1\r\nn\r\n",
        event: "*3\r\n$7\r\nPUBLISH\r\n$1\r\nt\r\n$\(data.utf8.count)\r\n\(data)\r\n",
        listen: ("*2\r\n$9\r\nSUBSCRIBE\r\n$1\r\nt\r\n", 6), deliveryLines: 7)
}
