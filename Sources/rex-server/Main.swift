import FoundationEssentials
import Rex
import RexCommandLine
import RexExamples
import RexLoop
import RexServer

/// Arguments and wiring; what can be tested lives in the libraries.
@main struct Main {
    /// How the program ends besides 0.
    private enum Status {
        static let usage: Int32 = 2
        static let cannotListen: Int32 = 69
        static let journal: Int32 = 74
        static let badConfiguration: Int32 = 78
    }

    static func main() async {
        StandardStreams.openMissing()
        SignalSource.clearInheritedMask()
        Descriptors.raiseLimit()
        do {
            try await run()
        } catch let error as UsageError {
            fail(Status.usage, "\(error)", hint: "rex-server --help shows the options")
        } catch let error as SettingError {
            fail(Status.usage, "\(error)")
        } catch let error as LoopError {
            fail(Status.cannotListen, "\(error)")
        } catch let error as JournalError {
            let hint =
                error.kind == .damaged
                ? "--accept-loss goes on with what is good, and keeps the damaged file" : nil
            fail(Status.journal, error.description, hint: hint)
        } catch let error as BadConfiguration {
            fail(Status.badConfiguration, error.description)
        } catch {
            fail(1, "\(error)")
        }
    }

    private static func run() async throws {
        let words = Array(CommandLine.arguments.dropFirst())
        let environment = ProcessInfo.processInfo.environment
        switch try ServerOptions.spec.parse(words, environment: environment) {
        case .help(let command?): print(HelpText.command(command, of: ServerOptions.spec))
        case .help: print(HelpText.program(ServerOptions.spec))
        case .version: print("rex-server \(Server.version)")
        case .run(let command, let arguments) where !arguments.operands.isEmpty:
            try JournalCommands.run(command.name, arguments.operands)
        case .run(_, let arguments):
            let settings = try settings(arguments)
            if arguments[ServerOptions.checkConfig] {
                _ = try tokens(settings)
                try checkTLS(settings)
                print("the configuration is good")
            } else {
                return try await serve(settings, arguments)
            }
        }
        try StandardStreams.flush()
    }

    /// Flags over environment over file.
    private static func settings(_ arguments: Arguments) throws -> ServerSettings {
        var settings = ServerSettings()
        if let file = arguments[ServerOptions.config] {
            do {
                try settings.apply(configuration: Array(Data(contentsOf: URL(filePath: file))))
            } catch let error as ConfigurationError {
                throw BadConfiguration("\(file): \(error)")
            } catch {
                throw BadConfiguration("\(file) cannot be read")
            }
        }
        let listen = arguments.all(ServerOptions.listen)
        if !listen.isEmpty { settings.listen = listen }
        if let file = arguments[ServerOptions.portFile] { settings.portFile = file }
        if let stores = arguments[ServerOptions.stores] { settings.stores = stores }
        let origins = arguments.all(ServerOptions.allowOrigin)
        if !origins.isEmpty { settings.allowedOrigins = origins }
        let hosts = arguments.all(ServerOptions.allowHost)
        if !hosts.isEmpty { settings.allowedHosts = hosts }
        for (name, value) in arguments.all(ServerOptions.limit).joined() {
            try settings.set(limit: name, to: value)
        }
        if let level = arguments[ServerOptions.logLevel] { settings.logLevel = level }
        if let format = arguments[ServerOptions.logFormat] { settings.logFormat = format }
        if let folder = arguments[ServerOptions.data] {
            settings.dataFolder = folder
            settings.isMemoryOnly = false
        }
        if arguments[ServerOptions.memory] { settings.isMemoryOnly = true }
        if arguments[ServerOptions.acceptLoss] { settings.acceptsLoss = true }
        if let mode = arguments[ServerOptions.durability] { settings.durability = mode }
        if let file = arguments[ServerOptions.tokenFile] { settings.tokenFile = file }
        if arguments[ServerOptions.insecure] { settings.isInsecure = true }
        if let file = arguments[ServerOptions.tlsCertificate] { settings.tlsCertificate = file }
        if let file = arguments[ServerOptions.tlsKey] { settings.tlsKey = file }
        if let file = arguments[ServerOptions.tlsClientAuthority] {
            settings.tlsClientAuthority = file
        }
        guard (settings.tlsCertificate == nil) == (settings.tlsKey == nil) else {
            throw UsageError("--tls-cert and --tls-key go together")
        }
        guard settings.tlsClientAuthority == nil || settings.tlsCertificate != nil else {
            throw UsageError("--tls-client-ca needs --tls-cert and --tls-key")
        }
        try check(settings.listen, settings)
        return settings
    }

    /// Who can be reached from other machines asks who they are.
    private static func check(
        _ endpoints: [Endpoint], _ settings: ServerSettings
    ) throws(UsageError) {
        guard settings.tokenFile == nil, !settings.isInsecure,
            let open = endpoints.first(where: { !$0.isLoopback })
        else { return }
        throw UsageError(
            "\(open) can be reached from other machines, and nobody would be asked who they "
                + "are; --token-file says who may come in, --insecure lets everybody in")
    }

    /// Who may come in, as the file says; nil where none is named.
    private static func tokens(_ settings: ServerSettings) throws -> TokenFile? {
        guard let file = settings.tokenFile else { return nil }
        let text: [UInt8]
        do {
            text = Array(try Data(contentsOf: URL(filePath: file)))
        } catch {
            throw BadConfiguration("\(file) cannot be read")
        }
        do {
            return try TokenFile(parsing: text)
        } catch {
            throw BadConfiguration("\(file): \(error)")
        }
    }

    private static func serve(_ settings: ServerSettings, _ arguments: Arguments) async throws {
        var configuration = Server.Configuration()
        configuration.limits = settings.limits
        configuration.allowedOrigins = Set(settings.allowedOrigins)
        configuration.allowedHosts = Set(settings.allowedHosts)
        configuration.log.level = settings.logLevel
        configuration.log.format = settings.logFormat
        let server = Server(configuration)
        let tokens = try tokens(settings)
        if let tokens { await server.useTokens(tokens) }
        if !settings.isMemoryOnly { try await openJournal(settings, server) }
        for name in settings.stores { try await host(name, on: server) }
        do {
            try await useTLS(settings, on: server)
        } catch {
            throw BadConfiguration("\(error)")
        }
        let addresses = try await listen(settings, server)
        if let file = settings.portFile { try write(addresses, to: file) }
        let reloads = Reloads { await reload(settings, arguments, server) }
        try await server.run(hangUp: { reloads.want() }) {
            print("rex-server ready on \(addresses.map(\.description).joined(separator: ", "))")
            flushOutput()
            ServiceNotification.send("READY=1")
        }
        ServiceNotification.send("STOPPING=1")
    }

    private static func openJournal(_ settings: ServerSettings, _ server: Server) async throws {
        let environment = ProcessInfo.processInfo.environment
        guard let folder = settings.dataFolder ?? ServerSettings.usualFolder(in: environment) else {
            throw UsageError("there is no home to keep states in; --data names a folder")
        }
        try await server.openJournal(
            in: folder, durability: settings.durability, acceptsLoss: settings.acceptsLoss)
    }

    private static func checkTLS(_ settings: ServerSettings) throws {
        guard let certificate = settings.tlsCertificate, let key = settings.tlsKey else { return }
        do {
            try Server.checkTLS(
                certificate: certificate, key: key, clientAuthority: settings.tlsClientAuthority)
        } catch {
            throw BadConfiguration("\(error)")
        }
    }

    private static func useTLS(_ settings: ServerSettings, on server: Server) async throws {
        guard let certificate = settings.tlsCertificate, let key = settings.tlsKey else { return }
        try await server.useTLS(
            certificate: certificate, key: key, clientAuthority: settings.tlsClientAuthority)
    }

    private static func host(_ name: String, on server: Server) async throws {
        switch name {
        case "chat": try await server.host(name, ChatReducer(), initialState: ChatState())
        case "counter": try await server.host(name, CounterReducer(), initialState: CounterState())
        case "doc": try await server.host(name, DocumentReducer(), initialState: DocumentState())
        default: preconditionFailure("a store \(name) passed the check of names")
        }
    }

    /// The sockets that a service manager hands over come instead of the addresses.
    private static func listen(_ settings: ServerSettings, _ server: Server) async throws
        -> [Endpoint]
    {
        var addresses: [Endpoint] = []
        for descriptor in ServiceNotification.takeListeningDescriptors() {
            addresses.append(try await server.listen(onDescriptor: descriptor))
        }
        try check(addresses, settings)
        guard addresses.isEmpty else { return addresses }
        for endpoint in settings.listen { addresses.append(try await server.listen(at: endpoint)) }
        return addresses
    }

    private static func write(_ addresses: [Endpoint], to file: String) throws {
        let text = addresses.map { "\($0)\n" }.joined()
        do {
            try Data(text.utf8).write(to: URL(filePath: file), options: .atomic)
        } catch {
            throw BadConfiguration("\(file) cannot be written")
        }
    }

    /// Reads again what may change while the server runs. Of a bad file nothing is taken.
    private static func reload(
        _ started: ServerSettings, _ arguments: Arguments, _ server: Server
    ) async {
        do {
            // First: what was taken back is gone, whatever is wrong with the rest.
            let read = Result { try settings(arguments) }
            let tokens = try tokens((try? read.get()) ?? started)
            if let tokens, started.tokenFile != nil { await server.useTokens(tokens) }
            let new = try read.get()
            try await useTLS(new, on: server)
            await server.setLogLevel(new.logLevel)
            let waiting = new.names(ofChangesNeedingRestart: started)
            await server.log.event(
                .notice, "reloaded",
                waiting.isEmpty ? [:] : ["needs_restart": waiting.joined(separator: ",")])
        } catch {
            await server.log.event(.error, "reload_failed", ["reason": "\(error)"])
        }
    }

    private static func flushOutput() {
        // `print` keeps lines back where nobody types: the ready line must be there now.
        try? StandardStreams.flush()
    }

    private static func fail(_ status: Int32, _ message: String, hint: String? = nil) -> Never {
        let hint = hint.map { "; \($0)" } ?? ""
        StandardStreams.writeError(Array("rex-server: \(message)\(hint)\n".utf8))
        StandardStreams.exit(status)
    }
}

/// The configuration is at fault, and nothing was started. Exit status 78.
struct BadConfiguration: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
}
