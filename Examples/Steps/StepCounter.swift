public import Rex

/// Where the counter's user may be led.
public enum StepCounterStep: Sendable, Equatable {
    /// From the counter.
    case home(Home)

    /// What may be asked for from the counter.
    public enum Home: Sendable, Equatable {
        /// To the page about it; back to the counter.
        case goToAbout, comeBack
    }
}

/// A counter whose actions become mutations, now or later, and steps of a coordinator.
///
/// Source: GoodReactor, the view model of its document.
public final class StepCounter: Reactor {
    /// What it holds.
    public struct State: Sendable, Equatable {
        /// The number.
        public internal(set) var counterValue = 0
        /// How many additions are under way.
        public internal(set) var waiting = 0
    }

    /// Up or down.
    public enum CounterMode: Sendable {
        /// By one.
        case increase, decrease
    }

    /// What a person does.
    public enum Action: Sendable {
        /// Counts.
        case updateCounterValue(CounterMode)
        /// Counts twice: two mutations.
        case twice(CounterMode)
        /// Adds a number in two seconds.
        case addLater(Int)
        /// Opens the page about it.
        case goToAbout
    }

    /// What becomes of the state.
    public enum Mutation: Sendable {
        /// The number is another.
        case counterValueUpdated(Int)
        /// So much is to be added to the number.
        case added(Int)
        /// So many additions more are under way.
        case waitingChanged(Int)
    }

    /// At 0.
    public let initialState = State()
    /// Its effects live as long.
    public let lifetime: ReactorLifetime
    /// Who is told where an action leads.
    public let coordinator: Coordinator<StepCounterStep>?

    /// A counter at 0.
    public init(
        coordinator: Coordinator<StepCounterStep>? = nil,
        clock: any Clock<Duration> = SystemClock()
    ) {
        self.coordinator = coordinator
        lifetime = ReactorLifetime(clock: clock)
    }

    /// The mutations of an action.
    public func mutate(action: Action) -> Effect<Mutation> {
        switch action {
        case .updateCounterValue(let mode):
            return .just(.counterValueUpdated(currentState.counterValue + Self.step(mode)))
        case .twice(let mode):
            let step = Self.step(mode)
            return .many(.added(step), .added(step))
        case .addLater(let number):
            return .sequence(
                .just(.waitingChanged(1)), .delayed(.added(number), delay: .seconds(2)),
                .just(.waitingChanged(-1)))
        case .goToAbout:
            return .none
        }
    }

    private static func step(_ mode: CounterMode) -> Int {
        switch mode {
        case .increase: 1
        case .decrease: -1
        }
    }

    /// The state after a mutation.
    public func reduce(state: State, mutation: Mutation) -> State {
        var state = state
        switch mutation {
        case .counterValueUpdated(let value): state.counterValue = value
        case .added(let number): state.counterValue += number
        case .waitingChanged(let number): state.waiting += number
        }
        return state
    }

    /// The step of an action.
    public func navigate(action: Action) -> StepCounterStep? {
        switch action {
        case .goToAbout: .home(.goToAbout)
        default: nil
        }
    }
}
