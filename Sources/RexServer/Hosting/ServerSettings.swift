import RexLoop
import RexProtocol

/// How a server program is set up, as its options and its configuration file say it.
///
/// A configuration file is one JSON object whose members are named as the options, without dashes
/// in front: `{"listen": ["127.0.0.1:7390"], "stores": ["chat"], "limits": {"connections": 500}}`.
public struct ServerSettings: Sendable, Equatable {
    /// Where to listen.
    public var listen: [Endpoint] = [.tcp(host: "127.0.0.1", port: 7390)]
    /// Where the actual addresses are written when the server is ready.
    public var portFile: String?
    /// State lives in memory only.
    public var isMemoryOnly = false
    /// The folder of durable stores; nil for the usual one.
    public var dataFolder: String?
    /// Go on with what is good of a damaged journal.
    public var acceptsLoss = false
    /// When an action of a durable store counts as done.
    public var durability = Durability.sync
    /// Names of the stores, the first the default one.
    public var stores = ServerSettings.knownStores
    /// What is logged.
    public var logLevel = LogLevel.notice
    /// How it is logged.
    public var logFormat = Log.Format.text
    /// The file that says who may come in and what each may do.
    public var tokenFile: String?
    /// Listens beyond loopback without tokens.
    public var isInsecure = false
    /// The PEM files of TLS: certificate, key, and the roots of clients' certificates.
    public var tlsCertificate: String?
    /// The private key of `tlsCertificate`.
    public var tlsKey: String?
    /// Whose certificates clients may show.
    public var tlsClientAuthority: String?
    /// Pages of these origins may ask over HTTP besides the server's own.
    public var allowedOrigins: [String] = []
    /// Names that `Host` may have besides loopback and the listening addresses.
    public var allowedHosts: [String] = []
    /// The bounds.
    public var limits = Limits()

    /// The stores that the program brings.
    public static let knownStores = ["chat", "counter", "doc"]

    /// The defaults.
    public init() {}

    /// The names of what differs from the settings of a running server and cannot change while it
    /// runs: all but the level of its log, and what the files of tokens and of TLS say.
    public func names(ofChangesNeedingRestart running: ServerSettings) -> [String] {
        let differences = [
            ("listen", listen != running.listen), ("port-file", portFile != running.portFile),
            ("memory", isMemoryOnly != running.isMemoryOnly),
            ("data", dataFolder != running.dataFolder),
            ("durability", durability != running.durability),
            ("stores", stores != running.stores), ("log-format", logFormat != running.logFormat),
            ("limits", limits != running.limits),
            // A file that is named no longer does not let everybody in.
            ("token-file", (tokenFile == nil) != (running.tokenFile == nil)),
        ]
        return differences.filter(\.1).map(\.0)
    }

    /// Takes over what a configuration file says.
    ///
    /// - Throws: `ConfigurationError` with the line and the member.
    public mutating func apply(configuration text: [UInt8]) throws(ConfigurationError) {
        var settings = self
        let parser = JSONParser()
        let failure = text.withUnsafeBytes { bytes -> ConfigurationError? in
            do throws(ConfigurationError) {
                let root = try Self.parse(bytes, parser)
                for (name, value) in root.members {
                    try settings.apply(name.string ?? "", value, in: bytes)
                }
                return nil
            } catch {
                return error
            }
        }
        if let failure { throw failure }
        self = settings
    }

    static func parse(
        _ bytes: UnsafeRawBufferPointer, _ parser: JSONParser
    ) throws(ConfigurationError) -> JSONNode {
        do throws(JSONError) {
            let root = try parser.parse(bytes)
            guard root.kind == .object else {
                throw JSONError(message: "expected an object", offset: 0, pointer: .root)
            }
            return root
        } catch {
            throw ConfigurationError(
                line: lineNumber(of: error.offset, in: bytes), member: "\(error.pointer)",
                message: error.message)
        }
    }

    private mutating func apply(
        _ name: String, _ value: JSONNode, in bytes: UnsafeRawBufferPointer
    ) throws(ConfigurationError) {
        do throws(SettingError) {
            switch name {
            case "listen":
                listen = try value.texts().map { text throws(SettingError) in
                    try Self.endpoint(text)
                }
                guard !listen.isEmpty else { throw SettingError("at least one address is needed") }
            case "port-file": portFile = try Self.path(try value.text())
            case "memory": isMemoryOnly = try value.flag()
            case "data": dataFolder = try Self.path(try value.text())
            case "durability": durability = try Self.choice(try value.text())
            case "stores": stores = try Self.stores(try value.texts())
            case "log-level": logLevel = try Self.choice(try value.text())
            case "log-format": logFormat = try Self.choice(try value.text())
            case "token-file": tokenFile = try Self.path(try value.text())
            case "insecure": isInsecure = try value.flag()
            case "tls-cert": tlsCertificate = try Self.path(try value.text())
            case "tls-key": tlsKey = try Self.path(try value.text())
            case "tls-client-ca": tlsClientAuthority = try Self.path(try value.text())
            case "allow-origin":
                allowedOrigins = try value.texts().map { text throws(SettingError) in
                    try Self.origin(text)
                }
            case "allow-host":
                allowedHosts = try value.texts().map { text throws(SettingError) in
                    try Self.hostName(text)
                }
            case "limits": try applyLimits(value, in: bytes)
            default: throw SettingError("there is no such option")
            }
        } catch {
            throw ConfigurationError(
                line: error.line ?? Self.lineNumber(of: value, in: bytes),
                member: name + error.member, message: error.message)
        }
    }

    private mutating func applyLimits(
        _ value: JSONNode, in bytes: UnsafeRawBufferPointer
    ) throws(SettingError) {
        guard value.kind == .object else { throw SettingError("expected an object") }
        for (name, bound) in value.members {
            let name = name.string ?? ""
            let line = Self.lineNumber(of: bound, in: bytes)
            do throws(SettingError) {
                try set(limit: name, to: bound.int)
            } catch {
                throw SettingError(error.message, member: ".\(name)", line: line)
            }
        }
    }

    /// Sets one of the limits, by the name that it has in a configuration file.
    ///
    /// - Throws: `SettingError` where there is none of that name, or the value is out of its range.
    public mutating func set(limit name: String, to value: Int?) throws(SettingError) {
        guard let place = Limits.all.first(where: { $0.name == name }) else {
            throw SettingError("there is no such limit")
        }
        let range = Limits.range(of: name)
        guard let value, range.contains(value) else {
            throw SettingError(
                "expected a number from \(range.lowerBound) to \(range.upperBound)")
        }
        limits[keyPath: place.bound] = value
    }

    /// Reads limits as they stand on a command line: `connections=500,idle_ms=0`.
    public static func limits(_ text: String) throws(SettingError) -> [(name: String, value: Int)] {
        var settings = ServerSettings()
        var list: [(name: String, value: Int)] = []
        for pair in text.split(separator: ",") {
            let sides = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard sides.count == 2 else {
                throw SettingError("expected NAME=VALUE, got \(pair)")
            }
            let (name, value) = (String(sides[0]), Int(sides[1]))
            do throws(SettingError) {
                try settings.set(limit: name, to: value)
            } catch {
                throw SettingError("\(name): \(error.message)")
            }
            list.append((name, value ?? 0))
        }
        return list
    }

    /// The usual folder of durable stores: `rex` in `$XDG_STATE_HOME`, or in `~/.local/state`; nil
    /// where the environment names neither.
    public static func usualFolder(in environment: [String: String]) -> String? {
        // The specification of base directories: a relative path counts as none.
        if let state = environment["XDG_STATE_HOME"], state.hasPrefix("/") { return state + "/rex" }
        guard let home = environment["HOME"], !home.isEmpty else { return nil }
        return home + "/.local/state/rex"
    }

    /// Checks names of stores: known ones, none twice.
    public static func stores(_ names: [String]) throws(SettingError) -> [String] {
        guard !names.isEmpty else { throw SettingError("at least one store is needed") }
        for name in names where !knownStores.contains(name) {
            throw SettingError(
                "there is no store \(name); there are \(knownStores.joined(separator: ", "))")
        }
        guard Set(names).count == names.count else { throw SettingError("a store is named twice") }
        return names
    }

    /// Reads one of the values of an enum by its name.
    public static func choice<T: CaseIterable & RawRepresentable<String>>(
        _ text: String
    ) throws(SettingError) -> T {
        guard let value = T(rawValue: text) else {
            let known = T.allCases.map(\.rawValue).joined(separator: ", ")
            throw SettingError("expected one of \(known), got \(text)")
        }
        return value
    }

    /// Checks an origin as browsers write it: scheme, host and, where it is not the usual one,
    /// port.
    public static func origin(_ text: String) throws(SettingError) -> String {
        let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, parts[1].hasPrefix("//"), parts[1].count > 2,
            text == text.lowercased(), !parts[1].dropFirst(2).contains("/"),
            !text.utf8.contains(where: { $0 <= 32 || $0 == UInt8(ascii: "*") })
        else {
            throw SettingError("expected an origin such as https://app.example, got \(text)")
        }
        return text
    }

    /// Checks a name for `Host`, without a port.
    public static func hostName(_ text: String) throws(SettingError) -> String {
        let isName = text.utf8.allSatisfy {
            $0 > 32 && $0 < 127 && $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: ":")
                && $0 != UInt8(ascii: "*")
        }
        guard isName, !text.isEmpty else {
            throw SettingError("expected a host's name without a port, got \(text)")
        }
        return text.lowercased()
    }

    /// Checks the name of a file or a folder. An empty one is what a variable leaves that is not
    /// set; with it a folder's files would lie in `/`.
    public static func path(_ text: String) throws(SettingError) -> String {
        guard !text.isEmpty, !text.utf8.contains(0) else {
            throw SettingError("expected the name of a file or a folder")
        }
        return text
    }

    /// Reads an address.
    public static func endpoint(_ text: String) throws(SettingError) -> Endpoint {
        do throws(EndpointError) {
            return try Endpoint(parsing: text)
        } catch {
            throw SettingError(error.description)
        }
    }

    static func lineNumber(of node: JSONNode, in bytes: UnsafeRawBufferPointer) -> Int {
        lineNumber(of: node.raw.baseAddress! - bytes.baseAddress!, in: bytes)
    }

    private static func lineNumber(of offset: Int, in bytes: UnsafeRawBufferPointer) -> Int {
        1 + UnsafeRawBufferPointer(rebasing: bytes[..<min(offset, bytes.count)]).count(of: 10)
    }
}

/// A setting that does not fit, without its place.
public struct SettingError: Error, CustomStringConvertible {
    /// What was expected and what came.
    public let message: String
    /// Where inside the setting, `.connections`.
    let member: String
    /// The line of that place, where it is not the setting's own.
    let line: Int?
    public var description: String { message }

    init(_ message: String, member: String = "", line: Int? = nil) {
        self.message = message
        self.member = member
        self.line = line
    }
}

/// A configuration file that does not fit: `line 3: limits.connections: expected a number above 0`.
public struct ConfigurationError: Error, Equatable, CustomStringConvertible {
    /// From 1 on.
    public let line: Int
    /// The option, and the place inside it.
    public let member: String
    /// What was expected and what came.
    public let message: String
    public var description: String {
        member.isEmpty ? "line \(line): \(message)" : "line \(line): \(member): \(message)"
    }
}

extension JSONNode {
    fileprivate func text() throws(SettingError) -> String {
        guard let string else { throw SettingError("expected a string") }
        return string
    }

    fileprivate func flag() throws(SettingError) -> Bool {
        guard let bool else { throw SettingError("expected true or false") }
        return bool
    }

    /// A list of strings, or one string.
    fileprivate func texts() throws(SettingError) -> [String] {
        if let string { return [string] }
        guard kind == .array else { throw SettingError("expected a list of strings") }
        var list: [String] = []
        for element in elements { list.append(try element.text()) }
        return list
    }
}
