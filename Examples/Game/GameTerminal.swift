public import Rex

/// The two faces of one store that the game's screens need: the one that moves in the graph, and
/// the one that is observed. Whoever reads the state by either is told of every change.
///
/// Source: Swift-Rex, `AppEnvironment`.
@MainActor
public final class GameEnvironment {
    /// Moves between screens.
    public let graphStore: GraphStore<GameReducer>
    /// Shows the state.
    public let observableStore: ObservableStore<GameReducer>

    /// A game in its menu.
    public init(clock: any Clock<Duration> = SystemClock()) {
        graphStore = GraphStore(
            initialState: GameState(), reducer: GameReducer(), embedGraphAction: { .graph($0) },
            clock: clock)
        observableStore = ObservableStore(store: graphStore.store)
    }
}

/// The game in a terminal.
public final class GameTerminal: TerminalExample {
    /// `game`.
    public static let name = "game"
    /// What it shows.
    public static let summary = "a game with a graph of screens, as in Swift-Rex's UIKit example"
    /// Its lines.
    public static let usage = [
        "round           begins a round",
        "hit POINTS      scores, up to \(GameLimits.points)",
        "miss            loses a life",
        "find life       a life more",
        "find bonus      points count twice for 10 s",
        "achievements    what has been achieved",
        "back            to the screen before",
    ]

    private let environment: GameEnvironment
    private let screens: ScopedStore<GameState, GameAction>
    private let bag = SubscriptionBag()

    /// Shows the menu.
    public init(clock: any Clock<Duration>, write: @escaping @MainActor (String) -> Void) {
        environment = GameEnvironment(clock: clock)
        screens = ScopedStore(environment.graphStore.store)
        screens.states
            .drive { state in
                for line in GameScreenText(state).lines { write(line) }
            }
            .disposed(by: bag)
    }

    /// Sends the action that a line means.
    public func take(_ words: [String]) async throws {
        let action: GameAction
        switch (words[0], words.dropFirst().first, words.count) {
        case ("round", nil, 1): action = .graph(.push(GameScreen.round.id))
        case ("achievements", nil, 1): action = .graph(.push(GameScreen.achievements.id))
        case ("back", nil, 1): action = .graph(.pop)
        case ("hit", let points?, 2):
            guard let points = Int(points) else { throw unknown(words) }
            action = .addScore(points)
        case ("miss", nil, 1): action = .loseLife
        case ("find", let found?, 2):
            guard let found = GameAction.PowerUp(rawValue: found) else { throw unknown(words) }
            action = .powerUp(found)
        default: throw unknown(words)
        }
        try await environment.graphStore.send(action)
    }

    /// The store's.
    public func effectCount() async -> Int { await environment.graphStore.store.effects.count }
}
