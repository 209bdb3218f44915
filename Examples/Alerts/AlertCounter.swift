public import Rex

/// A counter that says when it has come to 10 or −10, with two timers and a fetch.
///
/// Source: RxCompose, the composers of its document in one.
public final class AlertCounter: Composer {
    /// What can happen.
    public enum Action: Sendable, Equatable {
        /// One more, one less.
        case increment, decrement
        /// Tells the person something, also when it is the same again.
        case showAlert(String)
        /// Ticks after a second and then every two; counts every second; ends both.
        case startTimer, startCounting, stop
        /// The timer's period has passed.
        case tick
        /// Gets an answer, or a failure, in a second.
        case fetchData(fails: Bool)
        /// The answer has come, or none will.
        case dataLoaded(String)
        case fetchFailed(String)
    }

    /// What it holds.
    public struct State: Sendable, Equatable {
        /// The number.
        public internal(set) var count = 0
        /// How often the timer ticked.
        public internal(set) var ticks = 0
        /// Whether a timer runs.
        public internal(set) var isRunning = false
        /// Whether an answer is under way.
        public internal(set) var isLoading = false
        /// The last answer.
        public internal(set) var data: String?
        /// What the person should be told.
        @PresentState public internal(set) var alertMessage: String?
    }

    /// What it holds, to be observed.
    @ComposableState public var state = State()
    /// Where actions come in.
    public let action = ActionInlet<Action>()
    private var timers = EffectBag()
    private let clock: any Clock<Duration>

    /// A counter at 0, whose fetches sleep by `clock`.
    public init(clock: any Clock<Duration> = SystemClock()) {
        self.clock = clock
    }

    /// Changes the state and says what follows.
    public func reducer(_ state: inout State, _ action: Action) -> Effect<Action> {
        switch action {
        case .increment:
            state.count += 1
            return state.count == 10 ? .send(.showAlert("Count reached 10!")) : .none
        case .decrement:
            state.count -= 1
            return state.count == -10 ? .send(.showAlert("Count reached -10!")) : .none
        case .showAlert(let message):
            state.alertMessage = message
        case .startTimer:
            guard !state.isRunning else { return .none }
            state.isRunning = true
            return .timer(
                .send(.tick), dueTime: .seconds(1), period: .seconds(2), disposeBag: timers)
        case .startCounting:
            state.isRunning = true
            return .interval(.send(.increment), period: .seconds(1), disposeBag: timers)
        case .stop:
            state.isRunning = false
            return .cancel(&timers)
        case .tick:
            state.ticks += 1
        case .fetchData(let fails):
            state.isLoading = true
            return fetch(fails: fails)
        case .dataLoaded(let data):
            state.data = data
            state.isLoading = false
        case .fetchFailed(let message):
            state.isLoading = false
            return .send(.showAlert(message))
        }
        return .none
    }

    private func fetch(fails: Bool) -> Effect<Action> {
        .run { [clock] effect in
            try await clock.sleep(for: .seconds(1))
            if fails { throw Refusal("there is no connection") }
            effect.onNext(.send(.dataLoaded("42")))
        } catch: { error in
            .send(.fetchFailed("\(error)"))
        }
    }
}
