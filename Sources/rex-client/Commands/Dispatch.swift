import Rex
import RexClient
import RexCommandLine
import RexProtocol

extension Main {
    static func dispatch(_ call: Call) async throws -> ExitStatus {
        if call.operands == ["-"] { return try await DispatchLines(call).run() }
        let payload = try await payload(Array(call.operands.dropFirst()))
        let action = ActionText.action(call.operands[0], payload)
        call.printFrame(try await call.ask(.dispatch(call.dispatch(action))))
        return .done
    }

    static func publish(_ call: Call) async throws -> ExitStatus {
        let data = try await payload(Array(call.operands.dropFirst())) ?? .null
        let topic = try named { () throws(TopicError) in try Topic(call.operands[0]) }
        call.printFrame(try await call.ask(.publish(.init(topic: topic, data: .raw(data)))))
        return .done
    }

    static func cancel(_ call: Call) async throws -> ExitStatus {
        call.printFrame(
            try await call.ask(.cancel(.init(store: call.store, effect: call.operands[0]))))
        return .done
    }

    /// The JSON that the words stand for; files and standard input are read here.
    static func payload(_ words: [String]) async throws -> RawJSON? {
        switch try Payload.parse(words) {
        case .none: return nil
        case .value(let value): return RawJSON(value)
        case .file(let path): return try json(try Process.contents(of: path), from: path)
        case .standardInput:
            return try json(try await StandardInput.shared.everything(), from: "standard input")
        }
    }

    private static func json(_ bytes: [UInt8], from name: String) throws -> RawJSON {
        do throws(JSONError) {
            return try RawJSON(parsing: bytes)
        } catch {
            throw UsageError("\(name) is not JSON: \(error)")
        }
    }

    /// A topic or pattern that the command line got wrong is a usage error.
    static func named<T>(_ read: () throws(TopicError) -> T) throws(UsageError) -> T {
        do throws(TopicError) { return try read() } catch { throw UsageError(error.description) }
    }
}

extension Call {
    /// The frame for an action, with the options of the command line.
    func dispatch(_ action: RawJSON, key suffix: String = "") -> ClientFrame.Dispatch {
        var frame = ClientFrame.Dispatch(store: store, action: .raw(action))
        frame.key = arguments[ClientOptions.key].map { $0 + suffix }
        frame.expect = arguments[ClientOptions.expect]
        frame.await = arguments[ClientOptions.await].flatMap(ClientFrame.Await.init(rawValue:))
        frame.dryRun = arguments[ClientOptions.dryRun]
        return frame
    }
}
