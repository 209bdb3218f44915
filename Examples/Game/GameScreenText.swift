import Rex

/// The active screen of the game as lines of text, for a terminal.
public struct GameScreenText {
    /// From the top to the bottom, without line ends.
    public let lines: [String]

    /// What a user sees in this state.
    public init(_ state: GameState) {
        let title = "== \(state.graph.activePath.map(\.rawValue).joined(separator: " → ")) =="
        let body =
            switch GameScreen(rawValue: state.graph.activeNodeID.rawValue) {
            case .menu, nil: ["best: \(state.highScore)"]
            case .round: Self.round(state)
            case .achievements: Self.achievements(state)
            }
        lines = [title] + body + (state.alert.map { ["! \($0)"] } ?? [])
    }

    private static func round(_ state: GameState) -> [String] {
        let lives = String(repeating: "♥", count: state.lives)
        let bonus = state.hasBonus ? "  ×2" : ""
        return [
            "level \(state.level)  \(state.score) points  \(lives)  \(state.seconds) s\(bonus)"
        ] + state.happenings.suffix(3).map { "  \($0)" }
    }

    private static func achievements(_ state: GameState) -> [String] {
        Achievement.allCases.map { achievement in
            "[\(state.achievements.contains(achievement) ? "x" : " ")] \(achievement.title)"
        }
    }
}
