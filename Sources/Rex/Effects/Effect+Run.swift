extension Effect {
    /// Runs `operation` in a task of its own; what it sends to the emitter is dispatched.
    ///
    /// - Parameters:
    ///   - id: by which it is listed and cancelled.
    ///   - cancelInFlight: first ends what runs under the same id.
    ///   - operation: ends the effect by returning. An error that it throws is reported to the
    ///     store's `onFault` and ends the sequence it is a step of.
    public init(
        id: EffectID? = nil, cancelInFlight: Bool = false,
        _ operation: @escaping @Sendable (EffectEmitter<Action>) async throws -> Void
    ) {
        self = .work(
            id: id, cancelInFlight: cancelInFlight, isLongLived: false, prepare: { _ in operation },
            recover: nil)
    }

    /// Runs `operation` in a task of its own; an error goes to the store's `onFault`.
    public static func run(
        id: EffectID? = nil, cancelInFlight: Bool = false,
        operation: @escaping @Sendable (EffectEmitter<Action>) async throws -> Void
    ) -> Effect {
        Effect(id: id, cancelInFlight: cancelInFlight, operation)
    }

    /// Runs `operation` in a task of its own; an error becomes the effect that `recover` returns,
    /// which takes this effect's place, also where that is a long-lived one: it then ends by this
    /// effect's id. An effect that was cancelled is not recovered.
    ///
    /// Source: RxCompose, `.run { effect in … } catch: { error in … }`.
    public static func run(
        id: EffectID? = nil, cancelInFlight: Bool = false,
        operation: @escaping @Sendable (EffectEmitter<Action>) async throws -> Void,
        catch recover: @escaping @Sendable (any Error) -> Effect
    ) -> Effect {
        .work(
            id: id, cancelInFlight: cancelInFlight, isLongLived: false, prepare: { _ in operation },
            recover: recover)
    }

    /// Dispatches each element of a sequence; ends with it. Long-lived: nobody waits for its end.
    public static func run<S: AsyncSequence & Sendable>(
        _ elements: S, id: EffectID? = nil, cancelInFlight: Bool = false,
        catch recover: (@Sendable (any Error) -> Effect)? = nil
    ) -> Effect where S.Element == Action, S.AsyncIterator: SendableMetatype {
        .work(
            id: id, cancelInFlight: cancelInFlight, isLongLived: true, isFollowing: true,
            prepare: { _ in { try await $0.send(each: elements) { $0 } } },
            recover: recover)
    }

    /// Dispatches each element of the stream that `make` returns; ends with it. `make` is called in
    /// the effect's task. Long-lived: nobody waits for its end.
    ///
    /// Source: Swift-Rex, `Effect.stream { AsyncStream { … } }`.
    public static func stream<S: AsyncSequence & SendableMetatype>(
        id: EffectID? = nil, cancelInFlight: Bool = false, _ make: @escaping @Sendable () -> S
    ) -> Effect where S.Element == Action, S.AsyncIterator: SendableMetatype {
        .work(
            id: id, cancelInFlight: cancelInFlight, isLongLived: true, isFollowing: true,
            prepare: { _ in { try await $0.send(each: make()) { $0 } } },
            recover: nil)
    }

    static func work(
        id: EffectID?, cancelInFlight: Bool, isLongLived: Bool, isFollowing: Bool = false,
        prepare: @escaping @Sendable (any Clock<Duration>) -> EffectWork<Action>.Operation,
        recover: (@Sendable (any Error) -> Effect)?
    ) -> Effect {
        let work = Effect(
            plan: .work(
                EffectWork(
                    isLongLived: isLongLived, prepare: prepare, recover: recover,
                    isFollowing: isFollowing)))
        guard let id else { return work }
        return work.cancellable(id: id, cancelInFlight: cancelInFlight)
    }
}
