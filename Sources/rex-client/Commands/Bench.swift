import Rex
import RexClient
import RexCommandLine
import RexProtocol

extension Main {
    static func bench(_ call: Call) async throws -> ExitStatus {
        let plan = try await call.loadPlan()
        let showsProgress = StandardOutput.talksToTerminal && !call.isJSON
        let result: LoadResult
        do {
            result = try LoadGenerator.run(plan) { present in
                if showsProgress { StandardOutput.progress(LoadText.progress(present)) }
            }
        } catch .lost(let error) {
            throw ConnectionError.unreachable("\(call.url): \(error)")
        } catch {
            StandardOutput.talk("\(error)")
            return .refused
        }
        if showsProgress { StandardOutput.progress("") }
        if call.isJSON {
            StandardOutput.line("\(LoadText.json(result, plan))")
        } else {
            for line in LoadText.lines(result, plan) { StandardOutput.line(line) }
        }
        return .done
    }
}

extension Call {
    fileprivate func loadPlan() async throws -> LoadPlan {
        var plan = LoadPlan(endpoint: url.endpoint, request: [])
        if case .webSocket(let path) = url.transport { plan.webSocketPath = path }
        plan.greeting = helloLine
        plan.connections = arguments[ClientOptions.connections] ?? 10
        plan.window = arguments[ClientOptions.window] ?? 64
        plan.requestsPerSecond = arguments[ClientOptions.rate].map(Double.init)
        plan.duration = arguments[ClientOptions.duration] ?? .seconds(5)
        if let topic = arguments[ClientOptions.topic] {
            try await publish(on: topic, in: &plan)
            return plan
        }
        plan.followers = arguments[ClientOptions.subscribers] ?? 0
        plan.follow = Self.line(.subscribe(.init(store: store)))
        if let type = operands.first {
            let payload = try await Main.payload(Array(operands.dropFirst()))
            plan.request = Self.line(.dispatch(dispatch(ActionText.action(type, payload))))
        } else {
            plan.request = Self.line(.ping(.init()))
        }
        return plan
    }

    /// Events have no acks where their listeners set the pace.
    private func publish(on name: String, in plan: inout LoadPlan) async throws {
        let topic = try Main.named { () throws(TopicError) in try Topic(name) }
        let pattern = try Main.named { () throws(TopicError) in try TopicPattern(name) }
        let data = try await Main.payload(operands) ?? RawJSON(.null)
        var frame = ClientFrame.Publish(topic: topic, data: .raw(data))
        plan.followers = arguments[ClientOptions.subscribers] ?? 1
        plan.follow = Self.line(.listen(.init(topic: pattern)))
        if plan.followers > 0, plan.requestsPerSecond == nil {
            frame.ack = false
            plan.followersPace = true
            plan.connections = 1
        }
        plan.request = Self.line(.publish(frame))
    }

    /// A frame with its line feed.
    private static func line(_ frame: ClientFrame) -> [UInt8] {
        var writer = JSONWriter(capacity: 256)
        frame.encode(into: &writer)
        return LoadStamp.prepared(writer.bytes + [UInt8(ascii: "\n")])
    }
}
