/// Values that come one after the other on the main actor: the states of a `Composer`, the actions
/// of a `Reactor`, the taps of a button.
///
/// A description, not a thing that runs: each `drive` begins it anew. Values are handed over where
/// they arise, without a hop, so what was bound to a state is right when the line that changed the
/// state returns. An operator costs one call for each value.
///
/// Source: what RxCompose takes from RxSwift, and GoodReactor from Combine.
@MainActor
public struct Flow<Element> {
    let attach: @MainActor (@escaping @MainActor (Element) -> Void) -> SubscriptionToken

    /// A flow that begins as `attach` says: it calls what it is given with each value, until the
    /// token that it returns is cancelled.
    public init(
        attach: @escaping @MainActor (@escaping @MainActor (Element) -> Void) -> SubscriptionToken
    ) {
        self.attach = attach
    }

    /// Calls `body` with each value, until the token is cancelled. Letting go of the token does not
    /// end it: see `SubscriptionBag`.
    @discardableResult
    public func drive(_ body: @escaping @MainActor (Element) -> Void) -> SubscriptionToken {
        let gate = FlowGate()
        let token = attach { element in
            if !gate.isShut { body(element) }
        }
        return SubscriptionToken {
            gate.shut()
            token.cancel()
        }
    }

    /// The same as `drive`, as Combine calls it.
    @discardableResult
    public func sink(_ body: @escaping @MainActor (Element) -> Void) -> SubscriptionToken {
        drive(body)
    }

    /// Calls `body` with `object` and each value, as long as `object` lives; does not keep it.
    @discardableResult
    public func drive<Object: AnyObject>(
        with object: Object, _ body: @escaping @MainActor (Object, Element) -> Void
    ) -> SubscriptionToken {
        drive { [weak object] element in
            if let object { body(object, element) }
        }
    }

    /// Sets a property of `object` to each value, as long as `object` lives; `ownership` says
    /// whether this keeps it.
    ///
    /// Source: GoodReactor.
    @discardableResult
    public func assign<Object: AnyObject>(
        to property: ReferenceWritableKeyPath<Object, Element>, on object: Object,
        ownership: FlowOwnership = .weak
    ) -> SubscriptionToken {
        drive(with: object, ownership) { object, element in object[keyPath: property] = element }
    }

    /// Sets an optional property of `object` to each value; see above.
    @discardableResult
    public func assign<Object: AnyObject>(
        to property: ReferenceWritableKeyPath<Object, Element?>, on object: Object,
        ownership: FlowOwnership = .weak
    ) -> SubscriptionToken {
        drive(with: object, ownership) { object, element in object[keyPath: property] = element }
    }

    private func drive<Object: AnyObject>(
        with object: Object, _ ownership: FlowOwnership,
        _ body: @escaping @MainActor (Object, Element) -> Void
    ) -> SubscriptionToken {
        switch ownership {
        case .weak: drive(with: object, body)
        case .strong: drive { body(object, $0) }
        }
    }

    /// Sends each value as an action.
    @discardableResult
    public func bind(to inlet: ActionInlet<Element>) -> SubscriptionToken {
        drive { inlet.accept($0) }
    }
}

/// Whether a subscription keeps the object that it sets.
///
/// Source: GoodReactor.
public enum FlowOwnership: Sendable {
    /// It does not: the object's end is its own affair.
    case weak
    /// It does, until it is cancelled.
    case strong
}

extension Flow where Element: Sendable {
    /// How many values `values` keeps for a slow reader before it loses the oldest.
    public static var defaultBufferLimit: Int { 64 }

    /// The same for `for await`, from any isolation. Ending the loop ends the subscription; the end
    /// of what the flow comes from ends the loop.
    public var values: AsyncStream<Element> { values(bufferLimit: Self.defaultBufferLimit) }

    /// As `values`, with a buffer of another size.
    public func values(bufferLimit: Int) -> AsyncStream<Element> {
        StreamOrigin.stream(bufferLimit: bufferLimit) { yield in drive { yield($0) } }
    }
}
