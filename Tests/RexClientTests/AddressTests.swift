import RexClient
import RexLoop
import Testing

@Suite struct AddressTests {
    @Test func everyFormOfAnAddress() throws {
        #expect(try RexURL("tcp://h:1").endpoint == .tcp(host: "h", port: 1))
        #expect(try RexURL("tcp://h").endpoint == .tcp(host: "h", port: 7390))
        #expect(try RexURL("tcp://[::1]:5/").endpoint == .tcp(host: "::1", port: 5))
        #expect(try RexURL("tcp://[::1]").endpoint == .tcp(host: "::1", port: 7390))
        #expect(try RexURL("127.0.0.1:80").endpoint == .tcp(host: "127.0.0.1", port: 80))
        #expect(try RexURL("unix:/run/rex").endpoint == .unix(path: "/run/rex"))
        #expect(try RexURL("unix:///run/rex").endpoint == .unix(path: "/run/rex"))
        let socket = try RexURL("ws://h:1")
        #expect(socket.endpoint == .tcp(host: "h", port: 1))
        #expect(socket.transport == .webSocket(path: "/ws"))
        #expect(try RexURL("ws://[::1]/").description == "ws://[::1]:7390/ws")
        #expect(try RexURL("ws://h/behind/ws?a=b").transport == .webSocket(path: "/behind/ws?a=b"))
        #expect(RexURL.default.description == "tcp://127.0.0.1:7390")
    }

    @Test func overTLSTheServerIsVerified() throws {
        for text in ["tls://h:7390", "wss://h:7390/ws"] {
            let url = try RexURL(text)
            #expect(url.security == RexURL.Security() && url.security?.verifies == true)
            #expect(url.description == text)
        }
        #expect(try RexURL("tcp://h").security == nil)
        #expect(try RexURL("wss://h").transport == .webSocket(path: "/ws"))
    }

    @Test(arguments: [
        "", "http://h", "tcp://h:x", "tcp://h:70000", "unix:", "ws://", "ws://h/a b", "ws://h:x/ws",
    ])
    func whatIsNoAddressIsRefused(_ text: String) {
        #expect(throws: RexURLError.self) { try RexURL(text) }
    }
}

@Suite struct BackoffTests {
    @Test func stepsDoubleToTheLimitAndChanceIsHalfOfThem() {
        var backoff = Backoff(first: .milliseconds(100), limit: .milliseconds(500))
        #expect(backoff.next(random: 0) == .milliseconds(50))
        #expect(backoff.next(random: 0.5) == .milliseconds(150))
        #expect(backoff.next(random: 0) == .milliseconds(200))
        #expect(backoff.next(random: 0) == .milliseconds(250))
        #expect(backoff.next(random: 0) == .milliseconds(250))
        #expect(backoff.attempts == 5)
        backoff.succeed()
        #expect(backoff.attempts == 0)
        #expect(backoff.next(random: 0) == .milliseconds(50))
    }

    @Test func noDelayIsZeroOrBeyondTheLimit() {
        var backoff = Backoff()
        for _ in 0..<100 {
            let delay = backoff.next()
            #expect(delay >= Backoff.defaultFirst / 2 && delay <= Backoff.defaultLimit)
        }
    }
}

@Suite struct VisibleTextTests {
    @Test func whatATerminalObeysIsShown() {
        #expect(
            VisibleText.escaped("hi \u{1b}[2J\u{7}\n\u{9b}x") == "hi \\u001b[2J\\u0007\\n\\u009bx")
        #expect(VisibleText.escaped("a\u{202e}b") == "a\\u202eb")
        #expect(VisibleText.escaped("Grüße 👩‍👩‍👧 日本") == "Grüße 👩‍👩‍👧 日本")
    }

    @Test func columnsOfWideAndCombiningCharacters() {
        #expect(VisibleText.columns("abc") == 3)
        #expect(VisibleText.columns("日本") == 4)
        #expect(VisibleText.columns("e\u{301}") == 1)
        #expect(VisibleText.columns("👩‍👩‍👧!") == 3)
    }
}
