import FoundationEssentials
import Rex

struct PollReducer: ContextReducer {
    static let closing: EffectID = "closing"
    /// Votes of one poll; those of clients that have gone stay.
    static let votesLimit = 10_000

    func reduce(
        state: inout Poll, action: PollAction, context: ReducerContext
    ) throws -> [Effect<PollAction>] {
        switch action {
        case .vote(let option):
            let voter = try client(context)
            guard state.isOpen else { throw Refusal("no poll is open") }
            guard state.options.contains(option) else {
                throw Refusal("'\(option)' is not one of \(state.options.joined(separator: ", "))")
            }
            guard state.votes.count < Self.votesLimit || state.votes[voter] != nil else {
                throw Refusal("no more than \(Self.votesLimit) can vote")
            }
            state.votes[voter] = option
        case .remindMe(let seconds):
            return [try reminder(for: client(context), after: seconds, of: state)]
        case .open(let question, let options, let seconds):
            guard !state.isOpen else { throw Refusal("'\(state.question)' is open") }
            state.id = context.uniqueID()
            state.question = question
            state.options = options
            state.votes = [:]
            state.seconds = seconds
            return [startTimer(in: &state, at: context.now)]
        case .timeIsUp:
            guard state.isOpen else { throw Refusal("no poll is open") }
            state.closesAt = nil
            state.notice = "'\(state.question)' is closed"
            return [.cancel(Self.closing), .publish(topic: "closed", event: state.count)]
        case .came(let client):
            state.present.append(client)
        case .left(let client):
            state.present.removeAll { $0 == client }
        case .settle(let clients, let effects):
            state.present = clients
            if state.isOpen, !effects.contains(Self.closing.rawValue) {
                return [startTimer(in: &state, at: context.now)]
            }
        }
        return []
    }

    private func client(_ context: ReducerContext) throws -> String {
        guard case .client(let client) = context.origin else { throw Refusal("not for programs") }
        return client.id
    }

    /// As long as the store, unless it is cancelled.
    private func startTimer(in state: inout Poll, at now: Date) -> Effect<PollAction> {
        state.closesAt = now.addingTimeInterval(Double(state.seconds))
        return .delayed(
            .timeIsUp, delay: .seconds(state.seconds), id: Self.closing, cancelInFlight: true)
    }

    /// As long as the client is there; a second one takes the place of the first.
    private func reminder(
        for client: String, after seconds: Int, of state: Poll
    ) throws -> Effect<PollAction> {
        guard (1...3_600).contains(seconds) else { throw Refusal("1 to 3600 seconds") }
        return .timer(
            .publish(topic: "reminder.\(client)", event: state.question),
            id: EffectID("reminder-\(client)"), dueTime: .seconds(seconds), cancelInFlight: true
        ).scoped(to: .client(client))
    }
}
