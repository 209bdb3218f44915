import FoundationEssentials
import Glibc

/// The real `rex-server` on a free port, in a folder of its own, for integration tests; or any
/// other program that serves.
///
///     let server = try ServerProcess(program: path)
///     // talk to server.address
///     #expect(try server.stop() == .exited(0))
///
/// It is killed when the object goes.
public final class ServerProcess {
    /// The running program.
    public let process: ChildProcess
    /// The first address it listens on, `127.0.0.1:40123`.
    public let address: String
    /// Every address, one for each `--listen`.
    public let addresses: [String]
    /// A folder for this server alone, removed with the object.
    public let folder: String

    /// Starts the program and waits until it is ready.
    ///
    /// - Parameters:
    ///   - program: the path of a built `rex-server`, or of any program that knows its options.
    ///   - listen: where; port 0 is any free one.
    ///   - options: further options.
    ///   - prefix: words in front, such as `taskset -c 0`.
    public init(
        program: String, listen: [String] = ["127.0.0.1:0"], options: [String] = ["--memory"],
        environment: [String: String?] = [:], prefix: [String] = [],
        within limit: Duration = ChildProcess.patience
    ) throws {
        folder = try Self.makeFolder()
        let ports = folder + "/ports"
        process = try ChildProcess(
            prefix + [program] + listen.flatMap { ["--listen", $0] } + ["--port-file", ports]
                + options,
            environment: environment)
        addresses = try Self.waitForPorts(ports, process, within: limit)
        address = addresses[0]
    }

    /// Starts any program whose first line of output ends in `ready on ADDRESS` (several addresses
    /// are separated by `, `), and waits for that line.
    ///
    /// - Parameter words: the program's path and its arguments.
    public init(
        _ words: [String], environment: [String: String?] = [:],
        within limit: Duration = ChildProcess.patience
    ) throws {
        folder = try Self.makeFolder()
        process = try ChildProcess(words, environment: environment)
        let ready = try process.line(within: limit)
        guard let mark = ready.firstRange(of: "ready on ") else {
            throw Self.failure(ready, process)
        }
        addresses = ready[mark.upperBound...].split(separator: ", ").map(String.init)
        guard let first = addresses.first else { throw Self.failure(ready, process) }
        address = first
    }

    private static func failure(_ line: String, _ process: ChildProcess) -> ChildProcess.Failure {
        ChildProcess.Failure(description: "the server said \(line) | \(process.errorText)")
    }

    private static func makeFolder() throws -> String {
        let name = FileManager.default.temporaryDirectory.path + "/rex-test-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: name, withIntermediateDirectories: true)
        return name
    }

    private static func waitForPorts(
        _ file: String, _ process: ChildProcess, within limit: Duration
    ) throws -> [String] {
        let ready = try process.line(within: limit)
        guard ready.contains(" ready on "),
            let text = try? String(contentsOfFile: file, encoding: .utf8)
        else { throw failure(ready, process) }
        return text.split(separator: "\n").map(String.init)
    }

    /// The port of `address`.
    public var port: UInt16 { address.split(separator: ":").last.flatMap { UInt16($0) } ?? 0 }

    /// Asks it to end (SIGTERM) and waits for it.
    @discardableResult
    public func stop(within limit: Duration = ChildProcess.patience) throws -> ChildProcess.End {
        process.signal(SIGTERM)
        return try process.wait(within: limit)
    }

    /// Ends it without warning (SIGKILL).
    public func kill() throws {
        process.signal(SIGKILL)
        try process.wait()
    }

    /// The folder of the built programs, seen from a test: they stand beside the test runner, or
    /// where `REX_PROGRAMS` says, which is how programs that are built otherwise are tested.
    public static var builtPrograms: String {
        if let folder = getenv("REX_PROGRAMS") { return String(cString: folder) }
        var buffer = [CChar](repeating: 0, count: 4_096)
        let count = readlink("/proc/self/exe", &buffer, buffer.count - 1)
        let path = String(
            decoding: buffer.prefix(max(0, count)).map { UInt8(bitPattern: $0) }, as: UTF8.self)
        return path.split(separator: "/", omittingEmptySubsequences: false).dropLast()
            .joined(separator: "/")
    }

    deinit { try? FileManager.default.removeItem(atPath: folder) }
}
