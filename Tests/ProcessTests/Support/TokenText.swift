import Foundation
import RexProtocol
import RexTesting

/// A token file for a server of a test, which can be changed while that runs. The token of a user
/// is their name with `-token` behind it.
final class TokenText {
    /// SHA-256 of `ann-token` and so on, by the system's own program.
    private static let digests = [
        "ann": "dfa603dfa2ef13eb23a30434d7feef5de20829cb6c5181623c8028a74eaf4971",
        "bob": "97dd3707015dcf069cf73022ed7173b1165db6eff24b441cb57fd069a8c4e525",
        "eve": "90623e5477a896ff088b7223109b65c9f6931b8889a22170c72f733462dd3bac",
    ]
    /// May do everything.
    static let owner: JSONValue = [
        "admin": true, "stores": ["*": ["dispatch": ["*"], "read": [""]]], "publish": [">"],
        "listen": [">", "$presence.>", "$server.>"],
    ]

    private let scratch: Scratch
    let path: String
    private var users: [String: JSONValue] = [:]
    private var more: JSONObject = [:]

    /// With what each user may do.
    init(_ users: [String: JSONValue], _ more: JSONObject = [:]) throws {
        scratch = try Scratch()
        path = scratch.folder + "/tokens.json"
        self.users = users
        self.more = more
        try write()
    }

    private func write() throws {
        var root = more
        root["users"] = .array(
            users.sorted { $0.key < $1.key }.map { name, may in
                ["name": .string(name), "sha256": .string(Self.digests[name]!), "may": may]
            } + (more["users"]?.array ?? []))
        try "\(JSONValue.object(root))".write(toFile: path, atomically: true, encoding: .utf8)
    }

    /// Starts a server with this file.
    func server(_ options: String..., listen: [String] = ["127.0.0.1:0"]) throws -> ServerProcess {
        try ServerProcess(
            program: Programs.server, listen: listen,
            options: ["--memory", "--token-file", path] + options)
    }

    /// Changes what a user may do (nil: the user is gone), and has the server read it.
    func change(_ name: String, _ may: JSONValue?, of server: ServerProcess) throws {
        users[name] = may
        try write()
        server.process.signal(SIGHUP)
    }

    /// Changes another member of the file, and has the server read it.
    func change(_ member: String, to value: JSONValue, of server: ServerProcess) throws {
        more[member] = value
        try write()
        server.process.signal(SIGHUP)
    }
}

extension TokenText {
    /// A member `jwt` for the file, with one key under this `kid`.
    static func issuer(_ kid: String = "k") -> JSONValue {
        [
            "audience": "rex", "role": "owner",
            "keys": [
                [
                    "kty": "oct", "alg": "HS256", "kid": .string(kid),
                    // Of the 32 bytes in `jwt`.
                    "k": "MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY",
                ]
            ],
        ]
    }

    /// A JSON Web Token with these claims, made by `openssl` and the shell.
    static func jwt(_ claims: String) throws -> String {
        let script = """
            url() { openssl base64 -A | tr '+/' '-_' | tr -d '='; }
            key=key:0123456789abcdef0123456789abcdef
            text="$(printf '{"alg":"HS256","kid":"k"}' | url).$(printf %s "$1" | url)"
            code=$(printf %s "$text" |
              openssl dgst -sha256 -mac HMAC -macopt "$key" -binary | url)
            printf %s "$text.$code"
            """
        let ended = try Programs.run(["/bin/sh", "-c", script, "sh", claims])
        guard ended.code == 0 else { throw LineClient.Failure(description: ended.errors) }
        return ended.output
    }
}

extension LineClient {
    /// A connection that has said whose it is.
    convenience init(_ server: ServerProcess, as name: String) throws {
        try self.init(server)
        let welcome = try ask(["op": "hello", "token": .string("\(name)-token")])
        guard welcome["user"]?.string == name else {
            throw Failure(description: "no welcome for \(name) but \(welcome)")
        }
    }
}

extension WebClient {
    /// The header that says who asks.
    static func bearer(_ name: String) -> [String: String] {
        ["Authorization": "Bearer \(name)-token"]
    }
}
