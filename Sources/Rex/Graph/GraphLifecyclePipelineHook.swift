import Synchronization

/// Ends the effects of graph nodes that are not there any more, when the action that took them away
/// is committed. Exactly theirs: `room` is not `room:1`. An effect for a node that is not there
/// is ended as soon as it has started.
///
/// Time travel ends no effect.
///
/// Source: Swift-Rex.
public final class GraphLifecyclePipelineHook<State: GraphStateContainer, Action: Actionable>:
    PipelineHook
{
    private let after = Mutex<StateGraph?>(nil)

    /// A hook for one store.
    public init() {}

    /// Compares the nodes before and after.
    public func handle(
        phase: PipelinePhase<Action, State>, context: PipelineContext<Action, State>
    ) -> HookResult<Action> {
        if context.isDryRun { return .continue }
        switch phase {
        case .didReduce(_, let before, let state):
            after.withLock { $0 = state.graph }
            if before.graph == state.graph { break }
            // Here, so that no other hook's abort of the effects keeps them from their end.
            return end(before.graph.mounted.reversed().filter { !state.graph.isMounted($0) })
        case .willRunEffects(_, let effects):
            guard let graph = after.withLock({ $0.take() }) else { break }
            return end(effects.flatMap(\.nodes).filter { !graph.isMounted($0) })
        default:
            break
        }
        return .continue
    }

    private func end(_ nodes: [GraphNodeID]) -> HookResult<Action> {
        nodes.isEmpty ? .continue : .appendEffects(nodes.map { .endScope(.node($0.rawValue)) })
    }
}

extension Effect {
    /// Ties the effect to a node of the graph: it is cancelled when the node is not there any more.
    public func scoped(to node: GraphNodeID) -> Effect {
        scoped(to: .node(node.rawValue))
    }

    /// The nodes that it, or a part of it, is tied to.
    var nodes: [GraphNodeID] {
        switch plan {
        case .none, .send, .publish, .cancel, .cancelAll, .endScope, .endOwned, .work,
            .reminder, .fire:
            []
        case .sequence(let parts), .concurrent(let parts): parts.flatMap(\.nodes)
        case .owned(_, let inner), .retry(let inner, _), .repeating(let inner, _),
            .throttle(let inner, _):
            inner.nodes
        case .labelled(let label, let inner):
            if case .node(let id) = label.scope {
                [GraphNodeID(id)] + inner.nodes
            } else {
                inner.nodes
            }
        }
    }
}
