import Foundation
import Rex
import RexClient
import RexProtocol
import RexTesting
import Testing

/// TLS on the port where everything else is spoken, by the real programs.
@Suite(.ownThreads) struct TLSTests {
    private static let patience = Duration.seconds(60)

    private func file(_ name: String) -> String { Certificates.path(name) }

    private func start(_ options: String...) throws -> ServerProcess {
        try server(["--tls-cert", file("server.pem"), "--tls-key", file("server.key")] + options)
    }

    private func server(_ words: [String]) throws -> ServerProcess {
        try ServerProcess(program: Programs.server, options: ["--memory"] + words)
    }

    private func url(
        _ scheme: String, _ server: ServerProcess, host: String = "localhost",
        as name: String? = nil
    ) throws -> RexURL {
        var url = try RexURL("\(scheme)://\(host):\(server.port)")
        url.security?.authority = file("authority.pem")
        url.security?.certificate = name.map { file("\($0).pem") }
        url.security?.key = name.map { file("\($0).key") }
        return url
    }

    @Test(arguments: ["tcp", "tls", "ws", "wss"])
    func everyTransportIsServedOnOnePort(scheme: String) async throws {
        let server = try start()
        let connection = try await RexConnection.open(
            try url(scheme, server), timeout: Self.patience)
        let big = String(repeating: "x", count: 500_000)
        let set = RawJSON(["type": "set", "payload": ["path": "/big", "value": .string(big)]])
        _ = try await connection.request(.dispatch(.init(store: "doc", action: .raw(set))))
        let answer = try await connection.request(.get(.init(store: "doc")))
        #expect(answer.text.contains(big))
        await connection.close()
        #expect(try server.stop() == .exited(0))
    }

    @Test(arguments: [
        ("server.pem", "server.key", "authority.pem", 0), ("server.pem", "ann.key", nil, 78),
        ("none.pem", "server.key", nil, 78), ("server.pem", "server.key", "server.key", 78),
    ])
    func aConfigurationIsGoodOnlyWithItsCertificates(
        certificate: String, key: String, authority: String?, code: Int32
    ) throws {
        let words = ["--tls-cert", file(certificate), "--tls-key", file(key)]
        let more = authority.map { ["--tls-client-ca", file($0)] } ?? []
        let ended = try Programs.run([Programs.server, "--check-config"] + words + more)
        #expect(ended.code == code, "\(ended.errors)")
    }

    @Test func theClientProgramVerifiesWhoAnswers() throws {
        let server = try start()
        func run(_ words: String...) throws -> Programs.Ended {
            try Programs.run([Programs.client] + words + ["ping"])
        }
        let good = "tls://localhost:\(server.port)"
        #expect(try run("--url", good, "--tls-ca", file("authority.pem")).code == 0)
        #expect(try run("--url", good, "--tls-insecure").code == 0)
        for words in [[good], [good, "--tls-ca", file("stranger.pem")]] {
            let ended = try Programs.run([Programs.client, "ping", "--url"] + words)
            #expect(ended.code == 69 && ended.errors.contains("certificate"), "\(ended.errors)")
        }
        let none = try run("--url", good, "--tls-ca", "/nowhere.pem")
        #expect(none.code == 69 && none.errors.contains("/nowhere.pem"), "\(none.errors)")
        #expect(try server.stop() == .exited(0))
    }

    @Test func aServerWithoutTLSIsNamedAsSuch() async throws {
        let server = try Programs.startServer()
        let error = await #expect(throws: ConnectionError.self) {
            try await RexConnection.open(try url("tls", server), timeout: Self.patience)
        }
        #expect("\(error!)".contains("TLS"), "\(error!)")
    }

    @Test func aNewCertificateIsTakenUpOnHangUpAndABadOneIsNot() async throws {
        let scratch = try Scratch()
        let (certificate, key) = (scratch.folder + "/c.pem", scratch.folder + "/k.pem")
        func install(_ name: String) throws {
            for (kind, path) in [("pem", certificate), ("key", key)] {
                try String(contentsOfFile: file("\(name).\(kind)"), encoding: .utf8)
                    .write(toFile: path, atomically: true, encoding: .utf8)
            }
        }
        try install("other")
        let server = try server(["--tls-cert", certificate, "--tls-key", key])
        func isTrusted() async -> Bool {
            do {
                let connection = try await RexConnection.open(
                    try url("tls", server), timeout: Self.patience)
                await connection.close()
                return true
            } catch {
                return false
            }
        }
        #expect(await !isTrusted())
        try install("server")
        server.process.signal(SIGHUP)
        try server.process.errors(until: " notice reloaded\n")
        #expect(await isTrusted())
        try "no certificate".write(toFile: certificate, atomically: true, encoding: .utf8)
        server.process.signal(SIGHUP)
        try server.process.errors(until: " error reload_failed ")
        #expect(await isTrusted())
    }

    @Test func aClientsCertificateIsLookedAt() async throws {
        let server = try start("--tls-client-ca", file("authority.pem"))
        for name in [nil, "ann"] {
            let connection = try await RexConnection.open(
                try url("tls", server, as: name), timeout: Self.patience)
            _ = try await connection.request(.ping(.init()))
            await connection.close()
        }
        // In TLS 1.3 the client hears of it after its own handshake is done.
        await #expect(throws: ConnectionError.self) {
            let connection = try await RexConnection.open(
                try url("tls", server, as: "eve"), timeout: Self.patience)
            _ = try await connection.request(.ping(.init()))
        }
    }

    /// A certificate that was verified is as good as a token, and a token says more.
    @Test func aClientsCertificateIsAName() async throws {
        let ann: JSONValue = ["name": "ann", "certificate": "ann", "may": TokenText.owner]
        let tokens = try TokenText(["bob": [:]], ["users": [ann]])
        let server = try start(
            "--tls-client-ca", file("authority.pem"), "--token-file", tokens.path)
        func welcome(_ name: String?, token: String? = nil) async throws -> String? {
            let connection = try await RexConnection.open(
                try url("tls", server, as: name), timeout: Self.patience)
            var hello = ClientFrame.Hello()
            hello.token = token
            guard case .welcome(let welcome) = try await connection.request(.hello(hello)) else {
                return nil
            }
            await connection.close()
            return welcome.client.user
        }
        #expect(try await welcome("ann") == "ann")
        #expect(try await welcome("ann", token: "bob-token") == "bob")
        #expect(try await welcome(nil, token: "bob-token") == "bob")
        for (name, token) in [(nil, nil), ("ann", "wrong")] as [(String?, String?)] {
            await #expect(throws: ConnectionError.self) { try await welcome(name, token: token) }
        }
    }

    @Test func whoSaysNothingInAHandshakeIsLetGo() throws {
        let server = try Programs.startSecureServer(limits: "\"handshake_ms\": 200")
        let silent = try LineClient(server)
        try silent.send([0x16, 3, 1])
        #expect(try silent.line() == nil)
        let wrong = try LineClient(server)
        try wrong.send([0x16, 3, 1, 0, 5] + Array("hello and more".utf8))
        // An alert (RFC 8446 §6), and the end.
        while try wrong.bytes(1) != nil {}
        #expect(try LineClient(server).ask(["op": "ping"]).op == "pong")
    }

    @Test(.uninstrumented("measures memory")) func whoDoesNotReadIsSentMergedPatchesToo()
        async throws
    {
        let server = try Programs.startSecureServer(limits: "\"outbox_bytes\": 200000")
        let slow = try await RexConnection.open(try url("tls", server), timeout: Self.patience)
        let subscription = try await slow.subscribe(.init(store: "doc"))
        let writer = try LineClient(server)
        let text = String(repeating: "x", count: 90_000)
        // More than sockets and buffers hold together, while nobody takes what comes.
        for number in 0..<300 {
            let value = JSONValue.string("\(number)\(text)")
            _ = try writer.dispatch("set", ["path": "/t", "value": value], store: "doc")
        }
        let before = server.residentBytes
        #expect(before < 150_000_000, "\(before)")
        var last = 0
        var count = 0
        for try await change in subscription.changes {
            switch change {
            case .patch(let patch): last = patch.rev
            case .state(let state): last = state.rev
            default: Issue.record("\(change)")
            }
            count += 1
            if last == 300 { break }
        }
        #expect(last == 300 && count < 300, "\(count) patches")
        await slow.close()
    }
}
