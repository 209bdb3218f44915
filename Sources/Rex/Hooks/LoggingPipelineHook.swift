/// Writes a line for each phase: `[ChatApp] willReduce: triggerUserJoin`.
///
/// Source: Swift-Rex; the lines are those of its README.
public struct LoggingPipelineHook<State: Statable, Action: Actionable>: PipelineHook {
    /// How much is written.
    public enum Detail: Sendable {
        /// Five lines for an action; the end of its effects has no line of its own.
        case brief
        /// Also `didRunEffects`, and the states before and after.
        case full
    }

    private let label: String
    private let detail: Detail
    private let output: @Sendable (String) -> Void

    /// - Parameter output: takes one line, without its end; standard output where nothing else is
    ///   said. Called on the thread that reduces, so it must not wait.
    public init(
        label: String = "Rex", detail: Detail = .brief,
        output: @escaping @Sendable (String) -> Void = { print($0) }
    ) {
        self.label = label
        self.detail = detail
        self.output = output
    }

    /// Writes the line of this phase, with ` (dry run)` behind it where it is one.
    public func handle(
        phase: PipelinePhase<Action, State>, context: PipelineContext<Action, State>
    ) -> HookResult<Action> {
        switch phase {
        case .willReceive(let action): write("willReceive: \(action)", context)
        case .willReduce(let action, _): write("willReduce: \(action)", context)
        case .didReduce(let action, let before, let after):
            write("didReduce: \(action)", context)
            guard detail == .full else { break }
            write("  before: \(before)", context)
            write("  after:  \(after)", context)
        case .willRunEffects(let action, let effects):
            write("willRunEffects: \(action) (\(effects.count) effects)", context)
        case .didRunEffects(let action):
            if detail == .full { write("didRunEffects: \(action)", context) }
        case .didComplete(let action): write("didComplete: \(action)", context)
        }
        return .continue
    }

    private func write(_ line: String, _ context: PipelineContext<Action, State>) {
        output("[\(label)] \(line)\(context.isDryRun ? " (dry run)" : "")")
    }
}
