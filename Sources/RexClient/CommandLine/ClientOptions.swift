import RexCommandLine
import RexProtocol

/// Every option of `rex-client`, each defined once.
package enum ClientOptions {
    package static let url = CommandOption(
        "--url", "URL",
        help: "tcp, tls, ws, wss://… or unix:…; default \(RexURL.default)",
        environment: "REX_URL"
    ) { try RexURL($0) }

    package static let store = CommandOption(
        "--store", "STORE", help: "the store; default: the server's first one",
        environment: "REX_STORE"
    ) { $0 }

    package static let timeout = CommandOption(
        "--timeout", "5s", help: "how long to wait for a connection or a reply",
        environment: "REX_TIMEOUT"
    ) { try DurationText.parse($0) }

    package static let tokenFile = CommandOption<String>(
        "--token-file", "FILE", help: "who we are: a file that holds a token and nothing else",
        environment: "REX_TOKEN_FILE"
    ) { $0 }

    package static let tlsAuthority = CommandOption<String>(
        "--tls-ca", "FILE", help: "PEM: the roots to trust instead of the system's",
        environment: "REX_TLS_CA"
    ) { $0 }

    package static let tlsCertificate = CommandOption<String>(
        "--tls-cert", "FILE", help: "PEM: the certificate to show, and its key",
        environment: "REX_TLS_CERT"
    ) { $0 }

    package static let tlsInsecure = CommandOption(
        flag: "--tls-insecure", help: "believe whoever answers", environment: "REX_TLS_INSECURE")

    package static let json = CommandOption(
        flag: "--json", help: "print the server's frames, one JSON object a line",
        environment: "REX_JSON")

    package static let key = CommandOption(
        "--key", "KEY", help: "makes a retry safe: the same key is applied once"
    ) { $0 }

    package static let expect = CommandOption(
        "--expect", "REV", help: "apply only if the store is at this revision"
    ) { try revision($0) }

    package static let dryRun = CommandOption(
        flag: "--dry-run", help: "say what the action would change, and change nothing")

    package static let await = CommandOption(
        "--await", "LEVEL", help: "ack when applied, durable, or when its effects have ended"
    ) { text in
        guard ["applied", "durable", "effects"].contains(text) else {
            throw UsageError("expected applied, durable or effects, got \(text)")
        }
        return text
    }

    package static let at = CommandOption(
        "--at", "REV", help: "the state as it was at this revision"
    ) { try revision($0) }

    package static let patches = CommandOption(
        flag: "--patches", help: "print each change as a patch, not the whole state")

    package static let since = CommandOption(
        "--since", "EPOCH:REV", help: "go on from this position, without the state"
    ) { try ClientFrame.Position(parsing: $0) }

    package static let slow = CommandOption(
        "--slow", "WHAT", help: "when we read too slowly: merge (leave steps out), or close"
    ) { text in
        guard let slow = ClientFrame.Slow(rawValue: text) else {
            throw UsageError("expected merge or close, got \(text)")
        }
        return slow
    }

    package static let after = CommandOption(
        "--after", "REV", help: "only commits after this revision"
    ) { try revision($0) }

    package static let limit = CommandOption(
        "--limit", "N", help: "at most so many commits; default 100"
    ) { try revision($0) }

    package static let connections = CommandOption(
        "--connections", "N", help: "connections that ask; default 10"
    ) { try count(1...10_000, $0) }

    package static let window = CommandOption(
        "--window", "N", help: "requests that each has in flight; default 64"
    ) { try count(1...100_000, $0) }

    package static let subscribers = CommandOption(
        "--subscribers", "N", help: "connections that only watch; default 0, with --topic 1"
    ) { try count(0...10_000, $0) }

    package static let rate = CommandOption(
        "--rate", "N", help: "requests a second in all; default: as many as get through"
    ) { try count(1...100_000_000, $0) }

    package static let duration = CommandOption(
        "--duration", "5s", help: "how long to measure; default 5s"
    ) { try DurationText.parse($0) }

    package static let topic = CommandOption<String>(
        "--topic", "TOPIC", help: "publish events on this topic"
    ) { $0 }

    private static func count(
        _ bounds: ClosedRange<Int>, _ text: String
    ) throws(UsageError) -> Int {
        guard let number = Int(text), bounds.contains(number) else {
            throw UsageError(
                "expected a number from \(bounds.lowerBound) to \(bounds.upperBound), got \(text)")
        }
        return number
    }

    private static func revision(_ text: String) throws(UsageError) -> Int {
        guard let number = Int(text), number >= 0 else {
            throw UsageError("expected a number from 0 on, got \(text)")
        }
        return number
    }
}

extension ClientFrame.Position {
    /// Reads `EPOCH:REV`; the epoch itself may hold colons.
    package init(parsing text: String) throws(UsageError) {
        guard let mark = text.lastIndex(of: ":"), mark > text.startIndex,
            let rev = Int(text[text.index(after: mark)...]), rev >= 0
        else { throw UsageError("expected EPOCH:REV, as in k3j9:42, got \(text)") }
        self.init(epoch: String(text[..<mark]), rev: rev)
    }
}
