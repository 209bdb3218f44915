import Rex
import RexClient
import RexCommandLine
import RexProtocol

/// Commands that go on until they are stopped.
extension Main {
    static func watch(_ call: Call) async throws -> ExitStatus {
        let path = try call.pointer()
        let asPatches = call.arguments[ClientOptions.patches] || call.isJSON
        let link = call.link()
        let connection = try await link.connect()
        var start: Replica?
        if let since = call.arguments[ClientOptions.since] {
            start = Replica(at: since)
            if !asPatches {
                start = try await base(at: since, path: path, call, connection)
            }
        }
        let watch = Watch(
            link, store: call.store, path: path, from: start,
            slow: call.arguments[ClientOptions.slow] ?? .merge)
        while true {
            let change = try await watch.next()
            if call.isJSON {
                call.printFrame(change.frame)
            } else if asPatches {
                printPatch(change)
            } else if case .resumed = change {
                continue
            } else if let state = await watch.replica?.state {
                call.printJSON(RawJSON(state))
            }
        }
    }

    /// The state where a watch goes on, so that it can show whole states from there.
    private static func base(
        at since: ClientFrame.Position, path: JSONPointer, _ call: Call,
        _ connection: RexConnection
    ) async throws(ConnectionError) -> Replica? {
        var frame = ClientFrame.Get(store: call.store)
        frame.path = path
        frame.at = since.rev
        guard case .state(let state) = try await connection.request(.get(frame)) else { return nil }
        // Another epoch: the server will give the present state anyway.
        guard state.epoch == since.epoch else { return nil }
        return Replica(at: since, state: state.state.value)
    }

    /// `{"epoch":…,"rev":…,"state":…}`, then `{"from":…,"rev":…,"patch":…}` for each change.
    private static func printPatch(_ change: Watch.Change) {
        var writer = JSONWriter(capacity: 256)
        switch change {
        case .resumed: return
        case .began(let frame): writer.state(frame.state ?? .null, frame.epoch, frame.rev)
        case .state(let frame): writer.state(frame.state, frame.epoch, frame.rev)
        case .patch(let frame):
            writer.literal("{\"from\":")
            writer.int(frame.from)
            writer.literal(",\"rev\":")
            writer.int(frame.rev)
            writer.literal(",\"patch\":")
            writer.raw(frame.patch)
            writer.literal("}")
        }
        StandardOutput.line(JSONText.line(RawJSON(writer)))
    }

    static func listen(_ call: Call) async throws -> ExitStatus {
        let pattern = try named { () throws(TopicError) in try TopicPattern(call.operands[0]) }
        let link = call.link(lossNote: "; events in between are not seen")
        try await link.connect()
        while true {
            let connection = try await link.connection()
            let listener = try await connection.listen(
                pattern, slow: call.arguments[ClientOptions.slow] ?? .merge)
            do throws(ConnectionError) {
                for try await frame in listener.events { printEvent(frame, call) }
            } catch {
                guard error.isWorthAnotherTry else { throw error }
            }
        }
    }

    private static func printEvent(_ frame: ServerFrame, _ call: Call) {
        switch frame {
        case .event(let event):
            call.print(frame, or: [VisibleText.escaped("\(event.topic) \(event.data)")])
        case .dropped(_, let count):
            if call.isJSON { call.printFrame(frame) }
            StandardOutput.talk("\(count) events were dropped: too slow")
        default: break
        }
    }
}

extension Call {
    /// A connection that comes back, telling on stderr when it goes and when it is there again.
    func link(lossNote: String = "") -> RexLink {
        RexLink(url, timeout: timeout, hello: hello) { news in
            guard let line = news.line else { return }
            if case .waiting = news { return StandardOutput.talk(line + lossNote) }
            StandardOutput.talk(line)
        }
    }
}

extension JSONWriter {
    fileprivate mutating func state(_ state: RawJSON, _ epoch: String, _ rev: Int) {
        literal("{\"epoch\":")
        string(epoch)
        literal(",\"rev\":")
        int(rev)
        literal(",\"state\":")
        raw(state)
        literal("}")
    }
}

extension Watch.Change {
    /// The frame as the server sent it.
    fileprivate var frame: ServerFrame {
        switch self {
        case .began(let frame), .resumed(let frame): .subscribed(frame)
        case .patch(let frame): .patch(frame)
        case .state(let frame): .state(frame)
        }
    }
}
