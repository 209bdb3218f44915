import Synchronization

/// A group of effects that are ended together.
///
///     return .timer(.send(.tick), dueTime: .seconds(0), period: .seconds(1), disposeBag: bag)
///     return .cancel(&bag)
///
/// Its effects are listed by its `id`. A bag that nobody cancels ends nothing: the effects end with
/// their store.
///
/// Source: what a `DisposeBag` is to RxCompose.
public struct EffectBag: Sendable, Hashable {
    private static let count = Atomic<UInt64>(0)

    /// What its effects are listed as.
    public let id: EffectID

    /// A bag of its own.
    public init() {
        let number = Self.count.add(1, ordering: .relaxed).newValue
        id = EffectID("bag-\(number)")
    }
}

extension Effect {
    /// Ends the effects in `bag`; what is put into it from now on is not meant.
    ///
    /// Source: RxCompose.
    public static func cancel(_ bag: inout EffectBag) -> Effect {
        let id = bag.id
        bag = EffectBag()
        return .cancel(id)
    }

    /// The effect, to be ended with `bag`.
    public func disposed(by bag: EffectBag) -> Effect {
        cancellable(id: bag.id)
    }

    /// As `timer(_:id:dueTime:period:)`, to be ended with a bag.
    ///
    /// Source: RxCompose.
    public static func timer(
        _ effect: Effect, dueTime: Duration, period: Duration? = nil, disposeBag: EffectBag
    ) -> Effect {
        timer(effect, id: disposeBag.id, dueTime: dueTime, period: period)
    }

    /// As `interval(_:id:period:)`, to be ended with a bag.
    ///
    /// Source: RxCompose.
    public static func interval(
        _ effect: Effect, period: Duration, disposeBag: EffectBag
    ) -> Effect {
        interval(effect, id: disposeBag.id, period: period)
    }
}
