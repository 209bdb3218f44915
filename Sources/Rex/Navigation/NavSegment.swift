/// A step of navigation: the screens that one part of the state is shown with, and the parts that
/// may come next.
///
///     NavSegment(id: .root, store: store) { store in
///         NavSegment.Entry(store: store, make: RootScreen.init)
///     } nextSegment: { store in
///         NavSegment.Next(
///             store: store, toLocalState: \.login, fromLocalAction: RootAction.login,
///             make: makeLoginSegment)
///     }
///
/// A part that is nil has no segment: what is on the stack follows from the state. Of several that
/// could come next the first holds. A segment, and a screen, is made when it is first shown, and
/// let go of when it is not any more.
///
/// Source: ComposableUIKit.
@MainActor
public struct NavSegment<ID: Hashable, Screen> {
    /// Whose dismissal is asked for when the user goes back.
    public let id: ID
    let entries: [Entry]
    let nexts: [Next]

    /// A segment, for the part of the state that `store` is about.
    ///
    /// - Parameters:
    ///   - screens: those that it shows, the last on top.
    ///   - nextSegment: what may lie on top of them.
    public init<State: Equatable, Action>(
        id: ID, store: ScopedStore<State, Action>,
        @NavSegmentBuilder<Entry> screens: (ScopedStore<State, Action>) -> [Entry],
        @NavSegmentBuilder<Next> nextSegment: (ScopedStore<State, Action>) -> [Next] = { _ in [] }
    ) {
        self.id = id
        entries = screens(store)
        nexts = nextSegment(store)
    }

    /// A screen of a segment.
    @MainActor
    public struct Entry {
        let isShown: @MainActor () -> Bool
        let make: @MainActor () -> Screen?
        let dismiss: (@MainActor () -> Void)?

        /// A screen for the segment's part of the state.
        ///
        /// - Parameters:
        ///   - showIf: whether it is there.
        ///   - dismissAction: what is sent when the user goes back past it and its segment stays.
        ///     Without one it comes back, as the state still says that it is there.
        public init<State: Equatable, Action>(
            store: ScopedStore<State, Action>,
            showIf: @escaping @MainActor (State) -> Bool = { _ in true },
            dismissAction: Action? = nil,
            make: @escaping @MainActor (ScopedStore<State, Action>) -> Screen
        ) {
            isShown = { showIf(store.state) }
            self.make = { make(store) }
            dismiss = Self.sending(dismissAction, to: store)
        }

        /// A screen for a part of the segment's part, there only while that is not nil.
        public init<
            State: Equatable, Action, LocalState: Equatable & SendableMetatype, LocalAction
        >(
            store: ScopedStore<State, Action>,
            state toLocalState: @escaping @MainActor (State) -> LocalState?,
            action fromLocalAction: @escaping @MainActor (LocalAction) -> Action,
            showIf: @escaping @MainActor (State) -> Bool = { _ in true },
            dismissAction: Action? = nil,
            make: @escaping @MainActor (ScopedStore<LocalState, LocalAction>) -> Screen
        ) {
            isShown = { showIf(store.state) && toLocalState(store.state) != nil }
            self.make = {
                store.scopeIfPresent(state: toLocalState, action: fromLocalAction).map(make)
            }
            dismiss = Self.sending(dismissAction, to: store)
        }

        private static func sending<State: Equatable, Action>(
            _ action: Action?, to store: ScopedStore<State, Action>
        ) -> (@MainActor () -> Void)? {
            guard let action else { return nil }
            return { store.send(action) }
        }
    }

    /// A segment that may come next.
    @MainActor
    public struct Next {
        let isActive: @MainActor () -> Bool
        let make: @MainActor () -> NavSegment?

        /// The segment that `make` returns, as long as `toLocalState` finds something.
        public init<
            State: Equatable, Action, LocalState: Equatable & SendableMetatype, LocalAction
        >(
            store: ScopedStore<State, Action>,
            toLocalState: @escaping @MainActor (State) -> LocalState?,
            fromLocalAction: @escaping @MainActor (LocalAction) -> Action,
            make: @escaping @MainActor (ScopedStore<LocalState, LocalAction>) -> NavSegment
        ) {
            isActive = { toLocalState(store.state) != nil }
            self.make = {
                store.scopeIfPresent(state: toLocalState, action: fromLocalAction).map(make)
            }
        }
    }
}

/// Lists the screens of a segment, or what may come next, one below the other.
@resultBuilder
public enum NavSegmentBuilder<Part> {
    /// One of them.
    public static func buildExpression(_ part: Part) -> [Part] { [part] }
    /// None, where a line does something else.
    public static func buildExpression(_ nothing: Void) -> [Part] { [] }
    /// All of them, in this order.
    public static func buildBlock(_ parts: [Part]...) -> [Part] { parts.flatMap { $0 } }
    /// Those of an `if` that holds when the segment is made.
    public static func buildOptional(_ parts: [Part]?) -> [Part] { parts ?? [] }
    /// Those of the branch that holds when the segment is made.
    public static func buildEither(first parts: [Part]) -> [Part] { parts }
    /// Those of the branch that holds when the segment is made.
    public static func buildEither(second parts: [Part]) -> [Part] { parts }
    /// Those of a loop.
    public static func buildArray(_ parts: [[Part]]) -> [Part] { parts.flatMap { $0 } }
}
