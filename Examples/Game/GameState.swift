public import Rex

/// A game of points, levels and lives, with what has been achieved in it.
///
/// The user is in the menu, in a round, or looks at the achievements: the graph says where.
public struct GameState: Statable, GraphStateContainer, Codable {
    /// Where the user is.
    public var graph = StateGraph(rootID: GameScreen.menu.id)
    /// The points of this round.
    public internal(set) var score = 0
    /// The most points of any round.
    public internal(set) var highScore = 0
    /// From 1; a level more for each hundred points.
    public internal(set) var level = 1
    /// How often one may still fail.
    public internal(set) var lives = GameLimits.livesAtStart
    /// Whether points are worth twice as much, for a time.
    public internal(set) var hasBonus = false
    /// The seconds of this round.
    public internal(set) var seconds = 0
    /// What was achieved, in the order in which it was.
    public internal(set) var achievements: [Achievement] = []
    /// The last happenings (`GameLimits.happenings`), the oldest first.
    public internal(set) var happenings: [String] = []
    /// What the user should be told.
    @PresentState public internal(set) var alert: String?

    /// In the menu, with nothing achieved.
    public init() {}

    /// Whether a round is being played.
    public var isPlaying: Bool { graph.isMounted(GameScreen.round.id) }
}

/// What can be achieved, once.
public enum Achievement: String, CaseIterable, Sendable, Codable {
    /// The first point, a hundred points, a thousand, level five.
    case firstScore, highScorer, master, survivor

    /// As a user reads it.
    public var title: String {
        switch self {
        case .firstScore: "First Score"
        case .highScorer: "High Scorer"
        case .master: "Master"
        case .survivor: "Survivor"
        }
    }
}

/// The screens of the game.
public enum GameScreen: String, CaseIterable, Sendable {
    /// The first; a round; what was achieved.
    case menu, round, achievements

    /// The screen's node in the graph.
    public var id: GraphNodeID { GraphNodeID(rawValue) }
}

/// The bounds that the game's reducer keeps.
public enum GameLimits {
    /// How often one may fail in a round.
    public static let livesAtStart = 3
    /// The most lives there may be.
    public static let lives = 9
    /// The most points that one hit may be worth.
    public static let points = 1_000
    /// How many happenings are kept.
    public static let happenings = 20
    /// The points that a level takes.
    public static let pointsPerLevel = 100
    /// How long a bonus lasts.
    public static let bonus = Duration.seconds(10)
}
