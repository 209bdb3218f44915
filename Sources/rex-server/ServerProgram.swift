import RexCommandLine
import RexLoop
import RexServer

/// Every option of `rex-server`, each defined once.
enum ServerOptions {
    static let listen = CommandOption<Endpoint>(
        "--listen", "ADDR", help: "host:port, [v6]:port or unix:/path; may be repeated",
        environment: "REX_LISTEN"
    ) { try ServerSettings.endpoint($0) }

    static let portFile = CommandOption<String>(
        "--port-file", "FILE", help: "written when ready: one actual address a line",
        environment: "REX_PORT_FILE"
    ) { try ServerSettings.path($0) }

    static let data = CommandOption<String>(
        "--data", "DIR", help: "where states are kept; default ~/.local/state/rex",
        environment: "REX_DATA"
    ) { try ServerSettings.path($0) }

    static let memory = CommandOption(
        flag: "--memory", help: "keep nothing: states live in memory, and end with the server",
        environment: "REX_MEMORY")

    static let durability = CommandOption<Durability>(
        "--durability", "MODE", help: "sync: acks wait for the disk; async: they are ahead of it",
        environment: "REX_DURABILITY"
    ) { try ServerSettings.choice($0) }

    static let acceptLoss = CommandOption(
        flag: "--accept-loss", help: "go on with what is good of a damaged journal")

    static let stores = CommandOption<[String]>(
        "--stores", "LIST", help: "which to host, the first is the default: chat,counter,doc",
        environment: "REX_STORES"
    ) { try ServerSettings.stores($0.split(separator: ",").map(String.init)) }

    static let config = CommandOption<String>(
        "--config", "FILE", help: "JSON with the options' names; flags and variables win",
        environment: "REX_CONFIG"
    ) { try ServerSettings.path($0) }

    static let checkConfig = CommandOption(
        flag: "--check-config", help: "say whether the configuration is good, and end")

    static let tokenFile = CommandOption<String>(
        "--token-file", "FILE", help: "JSON: who may come in, and what each may do",
        environment: "REX_TOKEN_FILE"
    ) { try ServerSettings.path($0) }

    static let insecure = CommandOption(
        flag: "--insecure", help: "listen beyond loopback, though nobody is asked who they are",
        environment: "REX_INSECURE")

    static let tlsCertificate = CommandOption<String>(
        "--tls-cert", "FILE", help: "PEM: speak TLS too, on the same port; with --tls-key",
        environment: "REX_TLS_CERT"
    ) { try ServerSettings.path($0) }

    static let tlsKey = CommandOption<String>(
        "--tls-key", "FILE", help: "PEM: the private key of the certificate",
        environment: "REX_TLS_KEY"
    ) { try ServerSettings.path($0) }

    static let tlsClientAuthority = CommandOption<String>(
        "--tls-client-ca", "FILE", help: "PEM: whose certificates clients may show",
        environment: "REX_TLS_CLIENT_CA"
    ) { try ServerSettings.path($0) }

    static let allowOrigin = CommandOption<String>(
        "--allow-origin", "URL",
        help: "whose pages may ask: https://app.example; may be repeated",
        environment: "REX_ALLOW_ORIGIN"
    ) { try ServerSettings.origin($0) }

    static let allowHost = CommandOption<String>(
        "--allow-host", "NAME", help: "a name that Host may have; may be repeated",
        environment: "REX_ALLOW_HOST"
    ) { try ServerSettings.hostName($0) }

    static let limit = CommandOption<[(name: String, value: Int)]>(
        "--limit", "NAME=VALUE", help: "one of the limits of protocol.md; may be repeated",
        environment: "REX_LIMIT"
    ) { try ServerSettings.limits($0) }

    static let logLevel = CommandOption<LogLevel>(
        "--log-level", "LEVEL", help: "debug, info, notice, warning or error; default notice",
        environment: "REX_LOG_LEVEL"
    ) { try ServerSettings.choice($0) }

    static let logFormat = CommandOption<Log.Format>(
        "--log-format", "FORMAT", help: "text or json; default text",
        environment: "REX_LOG_FORMAT"
    ) { try ServerSettings.choice($0) }

    static let export = CommandSpec(
        "export", "DIR", count: 1...1, summary: "the journal of a folder as lines of JSON",
        details: ["A server may have the folder. One commit a line, in order, store by store."],
        examples: ["rex-server export /var/lib/rex | jq -c 'select(.patch) | {rev, action}'"])

    static let importing = CommandSpec(
        "import", "DIR", count: 1...1, summary: "reads such lines into a folder without a journal",
        examples: ["rex-server import /var/lib/rex < journal.jsonl"])

    static let backup = CommandSpec(
        "backup", "DIR TARGET", count: 2...2, summary: "copies a journal while it is in use",
        details: ["`rex-server --data TARGET` goes on with the copy."],
        examples: ["rex-server backup /var/lib/rex /backup/rex-monday"])

    static let verify = CommandSpec(
        "verify", "DIR", count: 1...1, summary: "checks a journal and reduces it once more",
        details: ["Exit status 1 and the first difference where one is found."],
        examples: ["rex-server verify /var/lib/rex"])

    static let spec = ProgramSpec(
        name: "rex-server", version: Server.version, summary: "hosts stores on the network",
        options: [
            listen, portFile, data, memory, durability, acceptLoss, stores, config, checkConfig,
            tokenFile, insecure, tlsCertificate, tlsKey, tlsClientAuthority, allowOrigin, allowHost,
            limit, logLevel, logFormat,
        ],
        commands: [export, importing, backup, verify], isCommandOptional: true,
        examples: [
            "rex-server --memory",
            "rex-server --listen 127.0.0.1:0 --port-file /run/rex/port --stores counter",
            "rex-server --listen unix:/run/rex/socket --log-format json",
        ],
        notes: [
            "Exit status: 0 stopped by SIGTERM or SIGINT, 1 ended at once by a second signal,",
            "2 wrong words, 69 cannot listen, 74 journal not usable, 78 bad configuration.",
            "SIGHUP rereads log-level, the token file and the files of TLS.",
        ])
}
