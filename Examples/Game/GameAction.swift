public import Rex

/// What can happen in the game.
public enum GameAction: Actionable, Equatable {
    /// A move between screens; to push `round` begins one.
    case graph(GraphAction)
    /// A hit, worth so many points.
    case addScore(Int)
    /// A failure; the last life ends the round.
    case loseLife
    /// A find: a life, or a time in which points count twice.
    case powerUp(PowerUp)

    // The game's own.
    /// A second of the round has passed.
    case tick
    /// A hundred points more.
    case levelUp
    /// The bonus is over.
    case bonusEnded
    /// Something was achieved.
    case unlock(Achievement)
    /// The round is over.
    case gameOver

    /// What can be found.
    public enum PowerUp: String, Sendable {
        /// A life more; points count twice for a while.
        case life, bonus
    }
}
