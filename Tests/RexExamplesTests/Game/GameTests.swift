import Rex
import RexTesting
import Synchronization
import Testing

@testable import RexExamples

@Suite(.timeLimit(.minutes(1)))
struct GameTests {
    /// A game on the round's screen.
    private func round() async -> TestStore<GameReducer> {
        let store = TestStore(
            initialState: GameState(), reducer: GameReducer(),
            pipelineHooks: { [AnyPipelineHook(GraphLifecyclePipelineHook())] })
        await store.send(.graph(.push("round")))
        #expect(store.state.isPlaying)
        return store
    }

    @Test func `hits, levels and achievements`() async {
        let store = await round()
        store.exhaustivity = .off
        await store.send(.addScore(50)) { $0.score = 50 }
        await store.receive(.unlock(.firstScore)) { $0.achievements = [.firstScore] }
        await store.send(.addScore(160)) { $0.score = 210 }
        await store.receive(.levelUp) { $0.level = 2 }
        await store.receive(.levelUp) { $0.level = 3 }
        await store.receive(.unlock(.highScorer))
        await store.send(.addScore(1_000)) { $0.highScore = 1_210 }
        await store.receive(.unlock(.master)) { $0.level = 13 }
        await store.receive(.unlock(.survivor)) {
            $0.achievements = [.firstScore, .highScorer, .master, .survivor]
        }
    }

    @Test func `what cannot be is refused`() async {
        let store = TestStore(initialState: GameState(), reducer: GameReducer())
        for action: GameAction in [.addScore(1), .loseLife, .powerUp(.life)] {
            #expect(
                await store.refusal(of: action) as? Refusal == Refusal("no round is being played"))
        }
        await store.refusal(of: .graph(.push("moon")))
        await store.refusal(of: .graph(.popTo("round")))
        let playing = await round()
        await playing.refusal(of: .addScore(0))
        await playing.refusal(of: .addScore(1_001))
        playing.cancelAllEffects()
    }

    @Test func `the clock and the bonus end with the round`() async {
        let store = await round()
        await store.clock.waitForSleepers(1)
        store.clock.advance(by: .seconds(1))
        await store.receive(.tick)
        #expect(store.state.seconds == 1)
        await store.send(.powerUp(.bonus))
        #expect(store.state.hasBonus)
        await store.send(.addScore(10))
        #expect(store.state.score == 20)
        await store.receive(.unlock(.firstScore)) {
            $0.achievements = [.firstScore]
            $0.happenings.append("achieved: First Score")
        }
        #expect(store.effects.map(\.id) == ["clock", "bonus"])
        await store.send(.graph(.pop))
        #expect(!store.state.hasBonus)
        await store.finish()
    }

    @Test func `a bonus ends by itself`() async {
        let store = await round()
        await store.send(.powerUp(.bonus))
        _ = store.state
        store.cancelEffect(id: "clock")
        await store.clock.waitForSleepers(1)
        store.clock.advance(by: GameLimits.bonus)
        await store.receive(.bonusEnded)
        #expect(!store.state.hasBonus)
    }

    @Test func `the last life ends the round`() async {
        let store = await round()
        store.exhaustivity = .off
        await store.send(.powerUp(.life)) { $0.lives = 4 }
        for lives in [3, 2, 1] {
            await store.send(.loseLife) { $0.lives = lives }
        }
        await store.send(.loseLife)
        await store.receive(.gameOver)
        await store.receive(.graph(.popToRoot))
        #expect(!store.state.isPlaying)
        #expect(store.state.alert == "Game over: 0 points in 0 s")
        #expect(store.effects == [])
        await store.send(.graph(.push("round")))
        #expect(store.state.lives == GameLimits.livesAtStart)
        store.cancelAllEffects()
    }

    /// A game as its terminal shows it: the screen after each action, through a graph store that
    /// somebody subscribes to.
    @Test func `it looks like this`() async {
        let clock = TestClock()
        let store = GraphStore(
            initialState: GameState(), reducer: GameReducer(),
            embedGraphAction: { .graph($0) }, clock: clock)
        let screen = Mutex<[String]>([])
        store.subscribe { state in screen.withLock { $0 = GameScreenText(state).lines } }
        var transcript: [String] = []
        func show(_ title: String) {
            transcript += ["> \(title)"] + screen.withLock { $0 }
        }
        show("start")
        store.push("round")
        show("push round")
        store.dispatch(.addScore(120))
        show("addScore 120")
        store.dispatch(.loseLife)
        show("loseLife")
        store.dispatch(.powerUp(.bonus))
        show("powerUp bonus")
        store.push("achievements")
        show("push achievements")
        store.pop()
        for _ in 1...2 { store.dispatch(.loseLife) }
        show("pop, loseLife, loseLife")
        #expect(transcript == Self.transcript)
        #expect(await store.store.effects.isEmpty)
    }

    private static let transcript = """
        > start
        == menu ==
        best: 0
        > push round
        == menu → round ==
        level 1  0 points  ♥♥♥  0 s
          a round begins
        > addScore 120
        == menu → round ==
        level 2  120 points  ♥♥♥  0 s
          level 2
          achieved: First Score
          achieved: High Scorer
        > loseLife
        == menu → round ==
        level 2  120 points  ♥♥  0 s
          achieved: First Score
          achieved: High Scorer
          life lost, 2 left
        > powerUp bonus
        == menu → round ==
        level 2  120 points  ♥♥  0 s  ×2
          achieved: High Scorer
          life lost, 2 left
          points count twice
        > push achievements
        == menu → round → achievements ==
        [x] First Score
        [x] High Scorer
        [ ] Master
        [ ] Survivor
        > pop, loseLife, loseLife
        == menu ==
        best: 120
        ! Game over: 120 points in 0 s
        """.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
}
