import Rex
import RexTesting
import Testing

// The code of GoodReactor's document. What stands for a line that needs UIKit or Combine says
// `was:`; every other line is as it stands there.

private enum CounterMode {
    case increase, decrease
}

private enum AppStep: Equatable {
    enum Home { case goToAbout }

    case home(Home)
}

private final class HomeViewModel: Reactor {
    // MARK: As in the document

    struct State {

        var counterValue: Int

    }

    enum Action {

        case updateCounterValue(CounterMode)
        case goToAbout

    }

    enum Mutation {

        case counterValueUpdated(Int)

    }

    func mutate(action: Action) -> Effect<Mutation> {  // was: AnyPublisher<Mutation, Never>
        switch action {
        case .updateCounterValue(let mode):
            return updateCounter(mode: mode)
        case .goToAbout:  // added: the document's switch leaves it out
            return .none
        }
    }

    // was: -> AnyPublisher<Mutation,Never>
    func updateCounter(mode: CounterMode) -> Effect<Mutation> {
        var actualValue = currentState.counterValue

        switch mode {
        case .increase:
            actualValue += 1

        case .decrease:
            actualValue -= 1
        }

        // was: return Just(.counterValueUpdated(actualValue)).eraseToAnyPublisher()
        return .just(.counterValueUpdated(actualValue))
    }

    func reduce(state: State, mutation: Mutation) -> State {
        var state = state

        switch mutation {
        case .counterValueUpdated(let newValue):
            state.counterValue = newValue
        }

        return state
    }

    func navigate(action: Action) -> AppStep? {
        switch action {
        case .goToAbout:
            return .home(.goToAbout)

        default:
            return .none
        }
    }

    // MARK: What the document leaves to its sample

    let initialState = State(counterValue: 0)
    let lifetime = ReactorLifetime()
    let coordinator: Coordinator<AppStep>?

    init(coordinator: Coordinator<AppStep>? = nil) {
        self.coordinator = coordinator
    }
}

private final class AppCoordinator: Coordinator<AppStep> {
    private(set) var visited: [AppStep] = []

    override func navigate(to step: AppStep) {
        visited.append(step)
    }
}

@MainActor
private final class HomeViewController {
    let viewModel: HomeViewModel
    let counterValueLabel = UILabel()
    var cancellables = SubscriptionBag()  // was: Set<AnyCancellable>()

    init(viewModel: HomeViewModel) {
        self.viewModel = viewModel
    }

    func bindState() {
        viewModel.state
            .map { String($0.counterValue) }
            .removeDuplicates()
            .assign(to: \.text, on: counterValueLabel, ownership: .weak)
            .store(in: &cancellables)
    }
}

@MainActor
struct GoodReactorTests {
    @Test func `a counter behind a label`() {
        let viewModel = HomeViewModel()
        let controller = HomeViewController(viewModel: viewModel)
        controller.bindState()
        #expect(controller.counterValueLabel.text == "0")
        let yourAction = HomeViewModel.Action.updateCounterValue(.increase)
        viewModel.send(event: yourAction)
        viewModel.send(event: yourAction)
        #expect(viewModel.currentState.counterValue == 2)
        #expect(controller.counterValueLabel.text == "2")
        viewModel.send(event: .updateCounterValue(.decrease))
        #expect(controller.counterValueLabel.texts == ["0", "1", "2", "1"])
    }

    @Test func `an action that leads somewhere`() {
        let coordinator = AppCoordinator()
        let viewModel = HomeViewModel(coordinator: coordinator)
        viewModel.send(event: .updateCounterValue(.increase))
        #expect(coordinator.visited.isEmpty)
        viewModel.send(event: .goToAbout)
        #expect(coordinator.visited == [.home(.goToAbout)])
        #expect(coordinator.step == .home(.goToAbout))
        #expect(viewModel.currentState.counterValue == 1)
    }

    @Test func `the label does not outlive its screen, nor keeps it`() {
        let viewModel = HomeViewModel()
        var controller: HomeViewController? = HomeViewController(viewModel: viewModel)
        controller?.bindState()
        weak let label = controller?.counterValueLabel
        controller = nil
        #expect(label == nil)
        viewModel.send(event: .updateCounterValue(.increase))
        #expect(viewModel.currentState.counterValue == 1)
    }
}
