import Rex
import RexTesting
import Testing

// The code of RxCompose's document, block by block. What stands for a line that needs UIKit or
// RxSwift says `was:`; every other line is as it stands there. `Label`s and buttons are those of
// ScreenParts.swift.

/// The document writes `Error` where this package asks for `any Error`.
private typealias Error = any Swift.Error

private class CounterComposer: Composer {
    enum Action {
        case increment
        case decrement
        case showAlert(String)
    }

    struct State {
        var count = 0
        @PresentState var alertMessage: String?
    }

    @ComposableState var state = State()
    var action = ActionInlet<Action>()  // was: PublishRelay<Action>()
    var disposeBag = SubscriptionBag()  // was: DisposeBag()

    // was: -> Observable<Effect<Action>>
    func reducer(_ state: inout State, _ action: Action) -> Effect<Action> {
        // swift-format-ignore: UseLetInEveryBoundCaseVariable
        switch action {
        case .increment:
            state.count += 1
            if state.count == 10 {
                return .send(.showAlert("Count reached 10!"))
            }
            return .none
        case .decrement:
            state.count -= 1
            if state.count == -10 {
                return .send(.showAlert("Count reached -10!"))
            }
            return .none
        case let .showAlert(message):
            state.alertMessage = message
            return .none
        }
    }
}

private class ViewController: UIViewController, Composable {
    let countLabel = UILabel()  // was: @IBOutlet weak var countLabel: UILabel!
    let incrementButton = UIButton()  // was: @IBOutlet weak var incrementButton: UIButton!
    let decrementButton = UIButton()  // was: @IBOutlet weak var decrementButton: UIButton!

    @Compose var composer = CounterComposer()
    var disposeBag = SubscriptionBag()  // was: DisposeBag()

    override func viewDidLoad() {
        super.viewDidLoad()
        bind()
    }

    func bind() {
        // Bind state.count to label
        composer.$state.observable
            .map(\.count)
            .map { "\($0)" }
            .distinctUntilChanged()
            .drive(countLabel.rx.text)
            .disposed(by: disposeBag)

        // Present alert when alertMessage changes
        composer.$state.present(\.$alertMessage)
            .compactMap(\.self)
            .drive(with: self) { this, message in
                let alert = UIAlertController(
                    title: "Alert", message: message, preferredStyle: .alert)
                alert.addAction(UIAlertAction(title: "OK", style: .default))
                this.present(alert, animated: true)
            }
            .disposed(by: disposeBag)

        // Bind buttons to actions
        incrementButton.rx.tap
            .map { Action.increment }
            .bind(to: composer.action)
            .disposed(by: disposeBag)

        decrementButton.rx.tap
            .map { Action.decrement }
            .bind(to: composer.action)
            .disposed(by: disposeBag)
    }
}

/// What the document calls `api`.
private struct API {
    var outcome: Result<String, Refusal>

    func fetchData() async throws -> String { try outcome.get() }

    func fetchDataObservable() -> AsyncThrowingStream<String, any Swift.Error> {
        AsyncThrowingStream { continuation in
            do {
                continuation.yield(try outcome.get())
                continuation.finish()
            } catch {
                continuation.finish(throwing: error)
            }
        }
    }
}

@TaskLocal private var api = API(outcome: .success("data"))

private class DataComposer: Composer {
    enum Action {
        case fetchData
        case dataLoaded(String)
        case fetchFailed(Error)
    }

    struct State {
        var data: String?
        var isLoading = false
    }

    @ComposableState var state = State()
    var action = ActionInlet<Action>()  // was: PublishRelay<Action>()
    var disposeBag = SubscriptionBag()  // was: DisposeBag()

    // was: -> Observable<Effect<Action>>
    func reducer(_ state: inout State, _ action: Action) -> Effect<Action> {
        let api = api  // An effect runs in a task of its own, past this test's `api`.
        switch action {
        case .fetchData:
            state.isLoading = true
            return .run { effect in
                let data = try await api.fetchData()  // Assume api.fetchData() is an async method
                effect.onNext(.send(.dataLoaded(data)))
            } catch: { error in
                return .send(.fetchFailed(error))
            }
        case .dataLoaded(let data):
            state.data = data
            state.isLoading = false
            return .none
        case .fetchFailed(let error):
            state.isLoading = false
            failures.send("\(error)")  // added: the document binds `error` and leaves it
            return .none
        }
    }

    let failures = FlowSource("")
}

private class ObservableDataComposer: Composer {
    enum Action {
        case fetchData
        case dataLoaded(String)
        case fetchFailed(Error)
    }

    struct State {
        var data: String?
        var isLoading = false
    }

    @ComposableState var state = State()
    var action = ActionInlet<Action>()  // was: PublishRelay<Action>()
    var disposeBag = SubscriptionBag()  // was: DisposeBag()

    // was: -> Observable<Effect<Action>>
    func reducer(_ state: inout State, _ action: Action) -> Effect<Action> {
        switch action {
        case .fetchData:
            state.isLoading = true
            // was: this returns Observable<String>
            let dataObservable = api.fetchDataObservable()
            return .run(
                dataObservable.map {
                    Action.dataLoaded($0)
                }
            ) { error in
                return .send(.fetchFailed(error))
            }
        case .dataLoaded(let data):
            state.data = data
            state.isLoading = false
            return .none
        case .fetchFailed(let error):
            state.isLoading = false
            failures.send("\(error)")  // added, as above
            return .none
        }
    }

    let failures = FlowSource("")
}

private class TimerComposer: Composer {
    enum Action {
        case startTimer
        case tick
    }

    struct State {
        var count = 0
    }

    @ComposableState var state = State()
    var action = ActionInlet<Action>()  // was: PublishRelay<Action>()
    var disposeBag = SubscriptionBag()  // was: DisposeBag()
    var timerDisposeBag = EffectBag()  // was: DisposeBag()

    // was: -> Observable<Effect<Action>>
    func reducer(_ state: inout State, _ action: Action) -> Effect<Action> {
        switch action {
        case .startTimer:
            return .timer(
                .send(.tick), dueTime: .seconds(1), period: .seconds(2),
                disposeBag: timerDisposeBag)
        case .tick:
            state.count += 1
            return .none
        }
    }
}

private class IntervalComposer: Composer {
    enum Action {
        case startCounting
        case increment
    }

    struct State {
        var count = 0
    }

    @ComposableState var state = State()
    var action = ActionInlet<Action>()  // was: PublishRelay<Action>()
    var disposeBag = SubscriptionBag()  // was: DisposeBag()
    var intervalDisposeBag = EffectBag()  // was: DisposeBag()

    // was: -> Observable<Effect<Action>>
    func reducer(_ state: inout State, _ action: Action) -> Effect<Action> {
        switch action {
        case .startCounting:
            return .interval(
                .send(.increment), period: .seconds(1), disposeBag: intervalDisposeBag)
        case .increment:
            state.count += 1
            return .none
        }
    }
}

private class StoppableTimerComposer: Composer {
    enum Action {
        case startTimer
        case stopTimer
        case tick
    }

    struct State {
        var count = 0
        var isRunning = false
    }

    @ComposableState var state = State()
    var action = ActionInlet<Action>()  // was: PublishRelay<Action>()
    var disposeBag = SubscriptionBag()  // was: DisposeBag()
    var timerDisposeBag = EffectBag()  // was: DisposeBag()

    // was: -> Observable<Effect<Action>>
    func reducer(_ state: inout State, _ action: Action) -> Effect<Action> {
        switch action {
        case .startTimer:
            guard !state.isRunning else { return .none }
            state.isRunning = true
            return .timer(
                .send(.tick), dueTime: .seconds(0), period: .seconds(1),
                disposeBag: timerDisposeBag)
        case .stopTimer:
            state.isRunning = false
            return .cancel(&timerDisposeBag)
        case .tick:
            state.count += 1
            return .none
        }
    }
}

private class TimerViewController: UIViewController, Composable {
    let countLabel = UILabel()  // was: @IBOutlet weak var countLabel: UILabel!
    let startButton = UIButton()  // was: @IBOutlet weak var startButton: UIButton!
    let stopButton = UIButton()  // was: @IBOutlet weak var stopButton: UIButton!

    @Compose var composer = StoppableTimerComposer()
    var disposeBag = SubscriptionBag()  // was: DisposeBag()

    override func viewDidLoad() {
        super.viewDidLoad()
        bind()
    }

    func bind() {
        composer.$state.observable
            .map(\.count)
            .map { "\($0)" }
            .drive(countLabel.rx.text)
            .disposed(by: disposeBag)

        startButton.rx.tap
            .map { Action.startTimer }
            .bind(to: composer.action)
            .disposed(by: disposeBag)

        stopButton.rx.tap
            .map { Action.stopTimer }
            .bind(to: composer.action)
            .disposed(by: disposeBag)
    }
}

@MainActor
@Suite(.timeLimit(.minutes(1)))
struct RxComposeTests {
    let clock = TestClock()

    @Test func `a counter shows its count and an alert at ten, and again`() {
        let screen = ViewController()
        screen.viewDidLoad()
        #expect(screen.countLabel.text == "0")
        for _ in 1...9 { screen.incrementButton.tap() }
        #expect(screen.presented.isEmpty)
        screen.incrementButton.tap()
        #expect(screen.countLabel.text == "10")
        #expect(screen.presented.map(\.message) == ["Count reached 10!"])
        // Past ten and back to it: an equal message is presented once more.
        screen.incrementButton.tap()
        screen.decrementButton.tap()
        screen.decrementButton.tap()
        screen.incrementButton.tap()
        #expect(screen.presented.map(\.message) == ["Count reached 10!", "Count reached 10!"])
        // The alert's own commit leaves the count: no text twice in a row.
        let texts = screen.countLabel.texts
        #expect(zip(texts, texts.dropFirst()).allSatisfy { $0 != $1 })
    }

    @Test func `down to minus ten`() {
        let screen = ViewController()
        screen.viewDidLoad()
        for _ in 1...10 { screen.decrementButton.tap() }
        #expect(screen.presented.map(\.message) == ["Count reached -10!"])
        #expect(screen.presented[0].title == "Alert")
        #expect(screen.presented[0].actions.map(\.title) == ["OK"])
    }

    @Test func `a bag that goes away ends its bindings`() {
        let screen = ViewController()
        screen.viewDidLoad()
        screen.disposeBag = SubscriptionBag()
        screen.incrementButton.tap()
        #expect(screen.composer.state.count == 0)
        screen.composer.send(.increment)
        #expect(screen.countLabel.text == "0")
    }

    @Test func `run fetches, and catch takes the error`() async throws {
        try await $api.withValue(API(outcome: .success("42"))) {
            let composer = DataComposer()
            composer.connect()
            try await composer.send(.fetchData, waitForEffects: true)
            #expect(composer.state.data == "42")
            #expect(!composer.state.isLoading)
        }
        await $api.withValue(API(outcome: .failure(Refusal("offline")))) {
            let composer = DataComposer()
            composer.connect()
            var failures: [String] = []
            composer.failures.flow.drive { failures.append($0) }
            composer.send(.fetchData)
            #expect(composer.state.isLoading)
            for await failure in composer.failures.flow.values where failure != "" { break }
            #expect(failures == ["", "offline"])
            #expect(composer.state.data == nil)
            #expect(!composer.state.isLoading)
        }
    }

    @Test func `run takes a sequence, and catch its error`() async {
        await $api.withValue(API(outcome: .success("42"))) {
            let composer = ObservableDataComposer()
            composer.connect()
            composer.send(.fetchData)
            for await state in composer.$state.observable.values where !state.isLoading { break }
            #expect(composer.state.data == "42")
        }
        await $api.withValue(API(outcome: .failure(Refusal("offline")))) {
            let composer = ObservableDataComposer()
            composer.connect()
            composer.send(.fetchData)
            for await state in composer.$state.observable.values where !state.isLoading { break }
            #expect(composer.state.data == nil)
            #expect(!composer.state.isLoading)
        }
    }

    @Test func `timer ticks after the due time and then every period`() async {
        let composer = TimerComposer()
        composer.connect(clock: clock)
        composer.send(.startTimer)
        var counts: [Int: Int] = [:]
        for second in 1...5 {
            await clock.waitForSleepers(1)
            clock.advance(by: .seconds(1))
            let due = (second + 1) / 2
            for await state in composer.$state.observable.values where state.count == due { break }
            counts[second] = composer.state.count
        }
        #expect(counts == [1: 1, 2: 1, 3: 2, 4: 2, 5: 3])
    }

    @Test func `interval ticks the first time after one period`() async {
        let composer = IntervalComposer()
        composer.connect(clock: clock)
        composer.send(.startCounting)
        #expect(composer.state.count == 0)
        for second in 1...3 {
            await clock.waitForSleepers(1)
            #expect(composer.state.count == second - 1)
            clock.advance(by: .seconds(1))
            for await state in composer.$state.observable.values where state.count == second {
                break
            }
        }
        #expect(composer.effects.map(\.id) == [composer.intervalDisposeBag.id])
    }

    @Test func `a timer that starts once and is stopped by its bag`() async {
        let screen = TimerViewController()
        screen.composer.connect(clock: clock)
        screen.viewDidLoad()
        screen.startButton.tap()
        screen.startButton.tap()
        #expect(screen.composer.effects.count == 1)
        for await state in screen.composer.$state.observable.values where state.count == 1 { break }
        await clock.waitForSleepers(1)
        clock.advance(by: .seconds(1))
        for await state in screen.composer.$state.observable.values where state.count == 2 { break }
        #expect(screen.countLabel.text == "2")
        let bag = screen.composer.timerDisposeBag
        screen.stopButton.tap()
        #expect(screen.composer.effects.isEmpty)
        #expect(!screen.composer.state.isRunning)
        #expect(screen.composer.timerDisposeBag != bag)
        // And once more, in the new bag.
        screen.startButton.tap()
        #expect(screen.composer.effects.map(\.id) == [screen.composer.timerDisposeBag.id])
    }
}
