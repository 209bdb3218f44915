import Foundation
import RexTesting

/// The certificates that the tests of TLS made for themselves.
enum Certificates {
    /// The path of one of their files, such as `server.pem`.
    static func path(_ name: String) -> String {
        URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appending(path: "RexTLSTests/Certificates/\(name)").path
    }
}

extension Programs {
    /// A server that speaks TLS too, with limits of a configuration file.
    static func startSecureServer(limits: String) throws -> ServerProcess {
        let scratch = try Scratch()
        let file = try scratch.write("{\"limits\": {\(limits)}}", to: "rex.json")
        defer { withExtendedLifetime(scratch) {} }
        return try startServer(
            "--config", file, "--tls-cert", Certificates.path("server.pem"), "--tls-key",
            Certificates.path("server.key"))
    }
}
