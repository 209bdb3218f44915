import Rex

/// Login, registration and reset as a stack of screens in a terminal.
public final class LoginTerminal: TerminalExample {
    /// `login`.
    public static let name = "login"
    /// What it shows.
    public static let summary = "a stack of screens bound to a state, as in ComposableUIKit"
    /// Its lines.
    public static let usage = [
        "the lines that the screen on top names",
        "back, back N    to the screen below, or N back at once",
    ]

    private let store: Store<UnauthenticatedReducer>
    private let navigation: TerminalNavigation
    private let refusals = ExampleLines()

    /// Shows the first screen.
    public init(clock: any Clock<Duration>, write: @escaping @MainActor (String) -> Void) {
        store = Store(
            initialState: UnauthenticatedState(), reducer: UnauthenticatedReducer(), clock: clock,
            onFault: { [refusals] fault in
                if case .actionRefused(_, let error) = fault { refusals.post("! \(error)") }
            })
        refusals.write = write
        navigation = TerminalNavigation(write: write)
        navigation.composable.bind(
            store: store, makeRootSegment: LoginSegment.root,
            makeDismissAction: \UnauthenticatedNavSegmentID.dismissAction)
    }

    /// Hands the line to the screen on top.
    public func take(_ words: [String]) throws {
        if words[0] == "back" {
            guard words.count <= 2, let count = Int(words.dropFirst().first ?? "1") else {
                throw unknown(words)
            }
            return try navigation.goBack(count)
        }
        let count = navigation.screens.count
        guard let screen = navigation.screens.last, screen.take(words) else { throw unknown(words) }
        refusals.flush()
        // A screen that stays may have something else to say.
        if navigation.screens.count == count { navigation.draw() }
    }

    /// The store's.
    public func effectCount() async -> Int { await store.effects.count }
}
