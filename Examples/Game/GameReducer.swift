public import Rex

/// Decides what a hit is worth, when a level is reached, and when a round is over.
///
/// A round is a node of the graph, and its clock and bonus are effects of that node: whichever way
/// the round is left, they end with it, by the graph store alone.
///
/// Source: Swift-Rex, the game of its UIKit example.
public struct GameReducer: Reducer {
    /// The id of the effect that ends a bonus.
    public static let bonusID: EffectID = "bonus"

    /// A reducer; it keeps nothing between two actions.
    public init() {}

    /// Throws `Refusal` in words for a person; `state` is then to be dropped.
    public func reduce(
        state: inout GameState, action: GameAction
    ) throws -> [Effect<GameAction>] {
        switch action {
        case .graph(let step): return try move(step, in: &state)
        case .addScore(let points): return try score(points, in: &state)
        case .loseLife:
            try expectRound(state)
            state.lives -= 1
            state.note("life lost, \(state.lives) left")
            return state.lives == 0 ? [.send(.gameOver)] : []
        case .powerUp(.life):
            try expectRound(state)
            state.lives = min(state.lives + 1, GameLimits.lives)
            state.note("a life more, \(state.lives) now")
        case .powerUp(.bonus):
            try expectRound(state)
            state.hasBonus = true
            state.note("points count twice")
            return [
                .delayed(
                    .bonusEnded, delay: GameLimits.bonus, id: Self.bonusID, cancelInFlight: true
                ).scoped(to: GameScreen.round.id)
            ]
        case .tick: state.seconds += 1
        case .levelUp:
            state.level += 1
            state.note("level \(state.level)")
            return state.level == 5 ? unlock(.survivor, in: state) : []
        case .bonusEnded:
            state.hasBonus = false
            state.note("points count once")
        case .unlock(let achievement):
            state.achievements.append(achievement)
            state.note("achieved: \(achievement.title)")
        case .gameOver:
            state.alert = "Game over: \(state.score) points in \(state.seconds) s"
            state.note("game over")
            return [.send(.graph(.popToRoot))]
        }
        return []
    }

    private func move(
        _ step: GraphAction, in state: inout GameState
    ) throws -> [Effect<GameAction>] {
        if case .push(let id) = step, GameScreen(rawValue: id.rawValue) == nil {
            let all = GameScreen.allCases.map(\.rawValue).joined(separator: ", ")
            throw Refusal("there is no screen '\(id)'; the screens are \(all)")
        }
        let wasPlaying = state.isPlaying
        try state.graph.apply(step)
        if state.isPlaying == wasPlaying { return [] }
        guard state.isPlaying else {
            state.hasBonus = false
            return []
        }
        state.begin()
        return [.interval(.tick, id: "clock", period: .seconds(1)).scoped(to: GameScreen.round.id)]
    }

    private func score(_ points: Int, in state: inout GameState) throws -> [Effect<GameAction>] {
        try expectRound(state)
        guard (1...GameLimits.points).contains(points) else {
            throw Refusal("a hit is worth 1 to \(GameLimits.points) points, not \(points)")
        }
        let worth = state.hasBonus ? 2 * points : points
        state.score += worth
        state.highScore = max(state.highScore, state.score)
        state.note("\(worth) points, \(state.score) in all")
        let level = state.score / GameLimits.pointsPerLevel + 1
        let reached = max(level - state.level, 0)
        return Array(repeating: .send(.levelUp), count: reached)
            + unlock(.firstScore, in: state)
            + (state.score >= 100 ? unlock(.highScorer, in: state) : [])
            + (state.score >= 1_000 ? unlock(.master, in: state) : [])
    }

    private func unlock(
        _ achievement: Achievement, in state: GameState
    ) -> [Effect<GameAction>] {
        state.achievements.contains(achievement) ? [] : [.send(.unlock(achievement))]
    }

    private func expectRound(_ state: GameState) throws {
        guard state.isPlaying else { throw Refusal("no round is being played") }
    }
}

extension GameState {
    /// A round from its beginning; what was achieved stays.
    fileprivate mutating func begin() {
        (score, level, lives, seconds) = (0, 1, GameLimits.livesAtStart, 0)
        hasBonus = false
        alert = nil
        happenings = ["a round begins"]
    }

    fileprivate mutating func note(_ happening: String) {
        happenings.append(happening)
        happenings.removeFirst(max(happenings.count - GameLimits.happenings, 0))
    }
}
