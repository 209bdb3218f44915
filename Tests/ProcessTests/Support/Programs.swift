import Foundation
import RexProtocol
import RexTesting

/// The two programs as they were built.
enum Programs {
    static let server = ServerProcess.builtPrograms + "/rex-server"
    static let client = ServerProcess.builtPrograms + "/rex-client"
    /// The long tests are wanted: full sizes.
    static let isLong = ProcessInfo.processInfo.environment["REX_LONG_TESTS"] == "1"

    /// How a program ended and what it said.
    struct Ended {
        let status: ChildProcess.End
        let output: String
        let errors: String

        var lines: [String] { output.split(separator: "\n").map(String.init) }
        var code: Int32? {
            guard case .exited(let code) = status else { return nil }
            return code
        }
    }

    /// Runs a program to its end.
    static func run(
        _ words: [String], input: String = "", environment: [String: String?] = [:],
        within limit: Duration = ChildProcess.patience
    ) throws -> Ended {
        let child = try ChildProcess(words, environment: plain(environment))
        // A program that ends before it has read everything is its right.
        if !input.isEmpty { try? child.write(input) }
        child.closeInput()
        let output = try child.rest(within: limit)
        let status = try child.wait(within: limit)
        return Ended(status: status, output: output, errors: child.errorText)
    }

    /// Runs `rex-client` against a server to its end.
    static func client(
        _ server: ServerProcess, _ words: String..., input: String = "",
        environment: [String: String?] = [:]
    ) throws -> Ended {
        try run(
            [client, "--url", "tcp://\(server.address)"] + words, input: input,
            environment: environment)
    }

    /// Starts `rex-client` against a server.
    static func startClient(
        _ server: ServerProcess, _ words: String..., environment: [String: String?] = [:],
        terminal: (columns: Int, rows: Int)? = nil
    ) throws -> ChildProcess {
        try ChildProcess(
            [client, "--url", "tcp://\(server.address)"] + words,
            environment: plain(environment), terminal: terminal)
    }

    /// A fresh server on a free port.
    static func startServer(
        _ options: String..., listen: [String] = ["127.0.0.1:0"],
        environment: [String: String?] = [:], prefix: [String] = []
    ) throws -> ServerProcess {
        try ServerProcess(
            program: server, listen: listen, options: ["--memory"] + options,
            environment: plain(environment), prefix: prefix)
    }

    /// A server whose states are kept in a folder.
    ///
    /// - Parameter limits: of a configuration file, such as `"connections": 2`.
    static func startServer(
        data folder: String, _ options: String..., limits: String = "", prefix: [String] = [],
        environment: [String: String?] = [:]
    ) throws -> ServerProcess {
        let scratch = try Scratch()
        let file = try scratch.write("{\"limits\": {\(limits)}}", to: "rex.json")
        defer { withExtendedLifetime(scratch) {} }
        return try ServerProcess(
            program: server, options: ["--data", folder, "--config", file] + options,
            environment: plain(environment), prefix: prefix)
    }

    /// A server with limits of a configuration file, such as `"connections": 2`.
    static func startServer(limits: String) throws -> ServerProcess {
        let scratch = try Scratch()
        let file = try scratch.write("{\"limits\": {\(limits)}}", to: "rex.json")
        defer { withExtendedLifetime(scratch) {} }
        return try startServer("--config", file)
    }

    /// What the developer's own shell says must not decide a test, nor how busy the machine is.
    private static func plain(_ environment: [String: String?]) -> [String: String?] {
        let own: [String: String?] = [
            "REX_URL": nil, "REX_STORE": nil, "REX_TIMEOUT": "60s", "REX_JSON": nil,
            "REX_CONFIG": nil, "NO_COLOR": nil, "TERM": "xterm", "TZ": "UTC",
            "SWIFT_BACKTRACE": "enable=no",
        ]
        return own.merging(environment) { $1 }
    }
}

/// A folder that goes with the object.
final class Scratch {
    let folder: String

    init() throws {
        folder = FileManager.default.temporaryDirectory.path + "/rex-scratch-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    }

    /// Writes a file and returns its path.
    @discardableResult
    func write(_ text: String, to name: String) throws -> String {
        let path = "\(folder)/\(name)"
        try Data(text.utf8).write(to: URL(filePath: path))
        return path
    }

    deinit { try? FileManager.default.removeItem(atPath: folder) }
}

extension JSONValue {
    /// What the server's `hash` says of such a state, by the system's own SHA-256.
    var hash: String {
        get throws {
            let text = String(decoding: canonical, as: UTF8.self)
            let ended = try Programs.run(["sha256sum"], input: text)
            return "sha256:\(ended.output.prefix(64))"
        }
    }
}

extension ServerProcess {
    /// Bytes of memory that are in use.
    var residentBytes: Int {
        let text =
            (try? String(contentsOfFile: "/proc/\(process.pid)/status", encoding: .utf8)) ?? ""
        let row = text.split(separator: "\n").first { $0.hasPrefix("VmRSS:") } ?? ""
        return
            (row.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap { Int($0) } ?? 0)
            * 1_024
    }

    /// Descriptors that are open.
    var descriptors: Int {
        (try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(process.pid)/fd").count) ?? 0
    }

    /// What a row of its metrics says, as `name` or `name{label="value"}`.
    func metric(_ row: String) throws -> Int {
        let page = try WebClient.ask(self, "GET", "/metrics").text
        let line = page.split(separator: "\n").first { $0.hasPrefix(row + " ") }
        guard let value = line?.split(separator: " ").last.flatMap({ Int($0) }) else {
            throw LineClient.Failure(description: "no \(row) in \(page)")
        }
        return value
    }

    /// Waits until a row of its metrics is so.
    func awaitMetric(_ row: String, _ isWanted: (Int) -> Bool) throws {
        let deadline = ContinuousClock.now + LineClient.patience
        while true {
            let value = try metric(row)
            if isWanted(value) { return }
            guard ContinuousClock.now < deadline else {
                throw LineClient.Failure(description: "\(row) stays \(value)")
            }
        }
    }

    /// Time for which a processor was busy with it.
    var processorTime: Duration {
        let text = (try? String(contentsOfFile: "/proc/\(process.pid)/stat", encoding: .utf8)) ?? ""
        let fields = text.split(separator: ")").last?.split(separator: " ") ?? []
        guard fields.count > 12, let user = Int(fields[11]), let system = Int(fields[12]) else {
            return .zero
        }
        return .seconds(Double(user + system) / Double(sysconf(Int32(_SC_CLK_TCK))))
    }
}
