import RexClient
import RexCommandLine
import RexProtocol

/// One call of the program: what was asked for, and how answers are printed.
struct Call: Sendable {
    let arguments: Arguments
    let url: RexURL
    let store: String?
    let timeout: Duration
    /// True where the server's frames are to be printed as they are.
    let isJSON: Bool

    init(_ arguments: Arguments) {
        self.arguments = arguments
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

    /// A connection to the server.
    func connect() async throws(ConnectionError) -> RexConnection {
        try await RexConnection.open(url, timeout: timeout)
    }

    /// Sends one request on a connection of its own and returns the answer.
    func ask(_ frame: sending ClientFrame) async throws(ConnectionError) -> ServerFrame {
        let connection = try await connect()
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
