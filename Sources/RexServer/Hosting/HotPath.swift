import FoundationEssentials
import Rex
import RexProtocol

/// What every action passes through, compiled in the module of the program.
///
/// There the reducer, the state and the action are known: the core is specialized for them, and
/// their values are moved as what they are. A host that called the core itself would do so by the
/// runtime's tables, which took longer than the action.
@usableFromInline
struct HotPath<R: Reducer> where R.State: Codable, R.Action: WireAction {
    @usableFromInline typealias Core = StoreCore<HostedReducer<R>>
    /// Takes a commit as the server has it: nothing of it has a type that only the program knows.
    @usableFromInline typealias Sink = (
        _ snapshot: TypedSnapshot<R.State>, _ action: (any WireAction)?, _ travel: Travel?,
        _ origin: Origin, _ time: Date
    ) -> Void

    @usableFromInline let dispatch: (Core, R.Action, Origin, EffectGroup?) -> Outcome
    @usableFromInline let observe: (Core, @escaping Sink) -> Void

    /// To be called where `R` is known.
    @inlinable
    init() {
        dispatch = { core, action, origin, group in
            core.dispatch(action, from: origin, group: group)
        }
        observe = { core, sink in
            core.onCommit = { commit in
                sink(
                    TypedSnapshot(revision: commit.revision, state: commit.state), commit.action,
                    commit.travel, commit.origin, commit.time)
            }
        }
    }
}
