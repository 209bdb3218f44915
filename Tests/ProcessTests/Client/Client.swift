import Foundation
import RexTesting

/// The real `rex-client` against a real `rex-server` of its own.
struct Client {
    let server: ServerProcess

    /// How a run of the program ended and what it wrote.
    struct Run: Equatable {
        let status: Int32
        let output: String
        let errors: String

        var lines: [String] { output.split(separator: "\n").map(String.init) }
    }

    init(listen: [String] = ["127.0.0.1:0"]) throws {
        server = try ServerProcess(
            program: ServerProcess.builtPrograms + "/rex-server", listen: listen)
    }

    static let program = ServerProcess.builtPrograms + "/rex-client"

    /// Starts the program; its input stays open.
    func start(
        _ words: String..., environment: [String: String?] = [:],
        terminal: (columns: Int, rows: Int)? = nil
    ) throws -> ChildProcess {
        try start(words, environment: environment, terminal: terminal)
    }

    func start(
        _ words: [String], environment: [String: String?] = [:],
        terminal: (columns: Int, rows: Int)? = nil
    ) throws -> ChildProcess {
        var environment = environment
        if environment["REX_URL"] == nil { environment["REX_URL"] = "tcp://\(server.address)" }
        environment["XDG_STATE_HOME"] = server.folder
        environment["TERM"] = "xterm"
        if environment["REX_TIMEOUT"] == nil { environment["REX_TIMEOUT"] = "60s" }
        return try ChildProcess(
            [Self.program] + words, environment: environment, terminal: terminal)
    }

    /// Runs the program to its end.
    func run(
        _ words: String..., input: String = "", environment: [String: String?] = [:]
    ) throws -> Run {
        try run(words, input: input, environment: environment)
    }

    func run(
        _ words: [String], input: String = "", environment: [String: String?] = [:]
    ) throws -> Run {
        let child = try start(words, environment: environment)
        // A program that ends before it has read everything is its right.
        if !input.isEmpty { try? child.write(input) }
        child.closeInput()
        let output = try child.rest()
        return Run(status: try child.status(), output: output, errors: child.errorText)
    }
}

extension ChildProcess {
    /// The status of a program that ended by itself; -1 for one that a signal ended.
    func status() throws -> Int32 {
        guard case .exited(let status) = try wait() else { return -1 }
        return status
    }
}
