import RexClient
import RexCommandLine
import RexProtocol

/// `dispatch -`: one action a line, many under way at once, the acks in the order of the lines.
///
/// A line that is refused is told with its number and the rest goes on; the program ends with the
/// status of the first refusal.
struct DispatchLines: Sendable {
    /// Batches of lines that may be sent and not answered; with `ClientLimits.outstandingRequests`
    /// the bound of what is under way.
    private static let batchLimit = 16

    private let call: Call

    init(_ call: Call) throws(UsageError) {
        guard call.arguments[ClientOptions.expect] == nil else {
            throw UsageError("--expect is for one action, not for dispatch -")
        }
        self.call = call
    }

    /// What became of a line: on its way, or not an action.
    private enum Sent: Sendable {
        case reply(line: Int, PendingReply)
        case wrong(line: Int, UsageError)
    }

    /// What came back for a line.
    fileprivate typealias Answer = (line: Int, result: Result<ServerFrame, any Error>)

    func run() async throws -> ExitStatus {
        let connection = try await call.connect()
        let batches = BoundedQueue<[Sent]>(limit: Self.batchLimit)
        let sender = Task {
            do {
                while let lines = try await StandardInput.shared.lines() {
                    guard await send(lines, on: connection, into: batches) else { break }
                }
            } catch {
                StandardOutput.talk("\(error)")
                await batches.end()
                return ExitStatus.usage
            }
            await batches.end()
            return .done
        }
        // A connection that is lost while no line is under way ends the program too.
        let watcher = Task {
            do { for try await _ in connection.pushes {} } catch { await batches.end() }
        }
        var printer = AckPrinter(call)
        while let batch = await batches.take() {
            guard await print(batch, with: &printer) else { break }
        }
        if let reason = await connection.closed {
            StandardOutput.talk("\(printer.count) actions were acknowledged before that")
            throw reason
        }
        watcher.cancel()
        await connection.close()
        return printer.status == .done ? await sender.value : printer.status
    }

    /// Sends a batch; false when there is no use in sending more.
    @ClientLoop private func send(
        _ lines: [(number: Int, text: String)], on connection: RexConnection,
        into batches: BoundedQueue<[Sent]>
    ) async -> Bool {
        var sent: [Sent] = []
        for line in lines where line.text.contains(where: { !$0.isWhitespace }) {
            do throws(UsageError) {
                let frame = call.dispatch(
                    try ActionText.parse(line.text), key: ":\(line.number)")
                // Where the connection is gone, the printer tells why.
                guard let reply = try? await connection.post(.dispatch(frame)) else { return false }
                sent.append(.reply(line: line.number, reply))
            } catch {
                sent.append(.wrong(line: line.number, error))
            }
        }
        return await batches.put(sent)
    }

    /// Prints a batch as its answers come; false when the connection is gone.
    private func print(_ batch: [Sent], with printer: inout AckPrinter) async -> Bool {
        var rest = batch[...]
        while !rest.isEmpty {
            let settled = await Self.settled(rest)
            rest = rest.dropFirst(settled.count)
            for result in settled {
                guard printer.print(result) else { return false }
            }
        }
        return true
    }

    /// The first answer, waited for, and those after it that are there already: one hop for many.
    @ClientLoop private static func settled(
        _ sent: ArraySlice<Sent>
    ) async -> [Answer] {
        var results: [Answer] = []
        for line in sent {
            switch line {
            case .wrong(let line, let error): results.append((line, .failure(error)))
            case .reply(let line, let reply):
                if !results.isEmpty, !reply.isSettled { return results }
                do throws(ConnectionError) {
                    results.append((line, .success(try await reply.frame())))
                } catch {
                    results.append((line, .failure(error)))
                }
            }
        }
        return results
    }
}

/// Prints acks and refusals, and keeps what the program will end with.
private struct AckPrinter {
    private let call: Call
    /// Acks printed.
    private(set) var count = 0
    private(set) var status = ExitStatus.done

    init(_ call: Call) { self.call = call }

    /// False when the connection is gone.
    mutating func print(_ answer: DispatchLines.Answer) -> Bool {
        switch answer.result {
        case .success(let frame):
            count += 1
            call.printFrame(frame)
            return true
        case .failure(ConnectionError.refused(let refusal)):
            if call.isJSON { call.printFrame(.error(id: nil, refusal)) }
            StandardOutput.talk("line \(answer.line): \(ConnectionError.refused(refusal))")
            if status == .done { status = ExitStatus(refusal.code) }
            return true
        case .failure(let error as UsageError):
            StandardOutput.talk("line \(answer.line): \(error)")
            if status == .done { status = .usage }
            return true
        case .failure: return false
        }
    }
}
