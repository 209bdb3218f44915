import Rex
import Synchronization

/// A store of numbers: enough to see order, refusals and effects.
struct Tally: Statable {
    var log: [Int] = []
    var total = 0
}

enum TallyAction: Actionable, Equatable {
    case add(Int)
    case refuse
    case nothing
    case run(Effect<TallyAction>)

    static func == (one: TallyAction, other: TallyAction) -> Bool {
        "\(one)" == "\(other)"
    }
}

struct TallyReducer: Reducer {
    func reduce(state: inout Tally, action: TallyAction) throws -> [Effect<TallyAction>] {
        switch action {
        case .add(let number):
            state.log.append(number)
            state.total += number
            return []
        case .refuse:
            state.total = -1
            throw Refusal("no")
        case .nothing:
            return []
        case .run(let effect):
            return [effect]
        }
    }
}

/// What effects have to say, for a test that plays the owner of a core.
final class Inbox<Action: Sendable>: Sendable {
    private let stream: AsyncStream<EffectEvent<Action>>
    private let continuation: AsyncStream<EffectEvent<Action>>.Continuation

    init() {
        (stream, continuation) = AsyncStream.makeStream()
    }

    var post: @Sendable (EffectEvent<Action>) -> Void {
        { [continuation] in continuation.yield($0) }
    }

    /// Hands events to the core as they come, until `isDone`.
    func serve<R: Reducer>(
        _ core: StoreCore<R>, until isDone: () -> Bool
    ) async where R.Action == Action {
        if isDone() { return }
        for await event in stream {
            core.receive(event)
            if isDone() { return }
        }
    }
}
