import RexClient
import RexCommandLine
import RexProtocol

/// One call of the program: what was asked for, and how answers are printed.
struct Call: Sendable {
    let arguments: Arguments
    let url: RexURL
    let store: String?
    let timeout: Duration
    /// Proves who we are; nil where we need not.
    let token: String?
    /// True where the server's frames are to be printed as they are.
    let isJSON: Bool

    init(_ arguments: Arguments) throws(Failure) {
        self.arguments = arguments
        token = try arguments[ClientOptions.tokenFile].map { file throws(Failure) in
            try Self.token(in: file)
        }
        url = Self.url(arguments)
        store = arguments[ClientOptions.store]
        timeout = arguments[ClientOptions.timeout] ?? RexConnection.defaultTimeout
        isJSON = arguments[ClientOptions.json]
    }

    private static func url(_ arguments: Arguments) -> RexURL {
        var url = arguments[ClientOptions.url] ?? .default
        url.security?.authority = arguments[ClientOptions.tlsAuthority]
        url.security?.certificate = arguments[ClientOptions.tlsCertificate]
        url.security?.verifies = !arguments[ClientOptions.tlsInsecure]
        return url
    }

    /// A file may end in a line's end, as editors leave it; the token does not.
    private static func token(in file: String) throws(Failure) -> String {
        let text = String(decoding: try Process.contents(of: file), as: UTF8.self)
        let words = text.split(whereSeparator: \.isWhitespace)
        guard words.count == 1, text.first?.isWhitespace == false else {
            throw Failure("\(file) holds no token, or something beside it")
        }
        return String(words[0])
    }

    var operands: [String] { arguments.operands }

    /// The operand as a JSON Pointer; the whole state where there is none.
    func pointer(_ index: Int = 0) throws(UsageError) -> JSONPointer {
        guard index < operands.count else { return .root }
        do throws(JSONPointerError) {
            return try JSONPointer(operands[index])
        } catch {
            throw UsageError(error.description)
        }
    }

    /// The operand as a revision.
    func revision(_ index: Int) throws(UsageError) -> Int {
        guard let number = Int(operands[index]), number >= 0 else {
            throw UsageError("expected a revision, a number from 0 on, got \(operands[index])")
        }
        return number
    }

    /// A connection to the server, which knows who we are where there is a token.
    func connect() async throws(ConnectionError) -> RexConnection {
        let connection = try await RexConnection.open(url, timeout: timeout)
        guard token != nil else { return connection }
        do throws(ConnectionError) {
            _ = try await connection.request(.hello(hello))
            return connection
        } catch {
            await connection.close()
            throw error
        }
    }

    /// The same for who looks at the lines themselves.
    func connectLines() async throws(ConnectionError) -> LineConnection {
        let connection = try await LineConnection.open(url, timeout: timeout)
        guard token != nil else { return connection }
        do throws(ConnectionError) {
            await connection.send(helloLine)
            guard let line = try await connection.nextLine(within: timeout) else {
                throw .lost("the server ended it")
            }
            try checkWelcome(line)
            return connection
        } catch {
            await connection.close()
            throw error
        }
    }

    /// `hello` with its line feed; empty where nothing needs to be said.
    var helloLine: [UInt8] {
        guard token != nil else { return [] }
        var writer = JSONWriter(capacity: 128)
        ClientFrame.hello(hello).encode(into: &writer)
        return writer.bytes + [UInt8(ascii: "\n")]
    }

    private func checkWelcome(_ line: [UInt8]) throws(ConnectionError) {
        let parser = JSONParser()
        let frame = line.withUnsafeBytes { bytes in
            (try? parser.parse(bytes)).flatMap { try? ServerFrame.decode($0) }
        }
        switch frame {
        case .welcome: return
        case .error(_, let error): throw .refused(error)
        default: throw .malformed("a reply to hello that is not welcome")
        }
    }

    /// Sends one request on a connection of its own and returns the answer.
    func ask(_ frame: sending ClientFrame) async throws(ConnectionError) -> ServerFrame {
        var connection: RexConnection
        if case .hello = frame {
            connection = try await RexConnection.open(url, timeout: timeout)
        } else {
            connection = try await connect()
        }
        let answer = try await connection.request(frame)
        await connection.close()
        return answer
    }

    // MARK: Printing

    /// Prints a frame as one line of JSON.
    func printFrame(_ frame: ServerFrame) { StandardOutput.line(VisibleText.escaped(frame.text)) }

    /// Prints JSON: indented on a terminal, else one line.
    func printJSON(_ json: RawJSON) {
        guard StandardOutput.isTerminal else { return StandardOutput.line(JSONText.line(json)) }
        let style: JSONText.Style = StandardOutput.hasColour ? .coloured : .plain
        StandardOutput.line(JSONText.indented(json, style: style))
    }

    /// Prints the frame where frames are wanted, else these lines.
    func print(_ frame: ServerFrame, or lines: [String]) {
        if isJSON { return printFrame(frame) }
        for line in lines { StandardOutput.line(line) }
    }
}

extension ExitStatus {
    /// What an error of the connection means for the caller of the program.
    init(_ error: ConnectionError) {
        switch error {
        case .unreachable: self = .cannotConnect
        case .timedOut: self = .timedOut
        case .refused(let error): self.init(error.code)
        case .closed(let bye): self = bye.reconnect ? .tryAgainLater : .init(bye.code)
        case .lost: self = .tryAgainLater
        case .cancelled: self = .interrupted
        case .lineTooLong, .malformed: self = .refused
        }
    }

    init(_ code: ErrorCode) {
        switch code {
        case .unauthorized, .forbidden: self = .notAllowed
        case .rateLimited, .overloaded, .shuttingDown, .tooSlow: self = .tryAgainLater
        default: self = .refused
        }
    }

    private init(_ reason: CloseReason) {
        self = reason == .unauthorized ? .notAllowed : .refused
    }
}
