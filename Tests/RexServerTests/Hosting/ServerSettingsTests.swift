import RexLoop
import Testing

@testable import RexServer

@Suite struct ServerSettingsTests {
    private func apply(_ text: String) throws -> ServerSettings {
        var settings = ServerSettings()
        try settings.apply(configuration: Array(text.utf8))
        return settings
    }

    @Test func takesEveryMember() throws {
        let settings = try apply(
            """
            {
              "listen": ["127.0.0.1:0", "unix:/run/rex"],
              "port-file": "/run/port", "memory": true, "stores": ["doc", "chat"],
              "log-level": "debug", "log-format": "json", "insecure": true,
              "token-file": "/etc/rex/tokens.json",
              "limits": {"connections": 5, "outbox_bytes": 1000}
            }
            """)
        #expect(settings.listen == [.tcp(host: "127.0.0.1", port: 0), .unix(path: "/run/rex")])
        #expect(settings.portFile == "/run/port" && settings.isMemoryOnly && settings.isInsecure)
        #expect(settings.tokenFile == "/etc/rex/tokens.json")
        #expect(settings.stores == ["doc", "chat"])
        #expect(settings.logLevel == .debug && settings.logFormat == .json)
        #expect(settings.limits.connections == 5 && settings.limits.outboxBytes == 1_000)
        #expect(settings.limits.depth == Limits().depth)
    }

    @Test(arguments: [
        ("{\n\"memory\": 1\n}", "line 2: memory: expected true or false"),
        (
            "{\n\n\"limits\": {\"depth\": 0}}",
            "line 3: limits.depth: expected a number from 1 to 512"
        ),
        ("{\"limits\": {\"deep\": 1}}", "line 1: limits.deep: there is no such limit"),
        ("{\"colour\": 1}", "line 1: colour: there is no such option"),
        ("{\"stores\": [\"chess\"]}", "there is no store chess"),
        ("{\"stores\": [\"doc\",\"doc\"]}", "a store is named twice"),
        ("{\"log-level\": \"loud\"}", "expected one of debug, info, notice, warning, error"),
        ("{\"listen\": \"here\"}", "line 1: listen: here: expected host:port"),
        ("{\"data\": \"\"}", "line 1: data: expected the name of a file or a folder"),
        ("[]", "line 1: expected an object"),
        ("{\n\n\n  \"memory\": tru }", "line 4: /memory"),
    ])
    func namesLineAndMember(_ text: String, _ expected: String) {
        let error = #expect(throws: ConfigurationError.self) { try apply(text) }
        #expect(error?.description.contains(expected) == true, "\(error?.description ?? "")")
    }

    @Test func aBadFileChangesNothing() {
        var settings = ServerSettings()
        #expect(throws: ConfigurationError.self) {
            try settings.apply(configuration: Array(#"{"memory":true,"insecure":2}"#.utf8))
        }
        #expect(settings == ServerSettings())
    }
}
