import Rex

/// Once everybody who is there has voted, nobody has to wait.
struct EverybodyHasVoted: PipelineHook {
    func handle(
        phase: PipelinePhase<PollAction, Poll>, context: PipelineContext<PollAction, Poll>
    ) -> HookResult<PollAction> {
        guard case .didReduce(.vote, _, let after) = phase,
            after.present.allSatisfy({ after.votes[$0] != nil })
        else { return .continue }
        return .appendEffects([.send(.timeIsUp)])
    }
}
