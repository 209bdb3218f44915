/// Where the actions of a composer come in.
///
/// An action that comes before the composer is connected is a mistake in the program, and stops it:
/// nobody would ever see what became of the action.
///
/// Source: what `PublishRelay<Action>` is to RxCompose.
@MainActor
public final class ActionInlet<Action> {
    var connection: (any ComposerConnecting<Action>)?

    /// An inlet that leads nowhere yet.
    public init() {}

    /// Has `action` reduced: at once, unless something is being reduced. A refusal goes to the
    /// composer's `onFault`.
    public func accept(_ action: Action) {
        connected.accept(action)
    }

    var connected: any ComposerConnecting<Action> {
        guard let connection else {
            preconditionFailure(
                """
                an action for a composer that nobody has connected: declare the composer with \
                @Compose, or call connect()
                """)
        }
        return connection
    }
}

/// What an inlet leads to.
@MainActor
protocol ComposerConnecting<Action> {
    associatedtype Action

    func accept(_ action: Action)
    func send(_ action: Action, waitForEffects: Bool) async throws
    var effects: [RunningEffect] { get }
    /// Ends the effects.
    func end()
}

/// The way into the core of a composer. The inlet holds it, and the composer the inlet: the core
/// lives as long as the composer, which it knows weakly.
final class ComposerConnection<C: Composer>: ComposerConnecting {
    typealias Action = C.Action

    private let core: MainCore<ComposerReducer<C>>
    private var sendCount = 0

    init(_ core: MainCore<ComposerReducer<C>>) {
        self.core = core
    }

    func accept(_ action: C.Action) {
        core.core.report(core.core.dispatch(ComposedAction(action)), of: .local)
    }

    func send(_ action: C.Action, waitForEffects: Bool) async throws {
        guard waitForEffects else { return try core.dispatch(ComposedAction(action)) }
        sendCount += 1
        let wait = MainWait(id: EffectID("send-\(sendCount)"))
        try core.dispatch(ComposedAction(action, followUp: wait.id), group: wait.group)
        try await core.wait(wait)
    }

    var effects: [RunningEffect] { core.core.runningEffects }

    func end() {
        core.core.cancelAllEffects()
    }
}
