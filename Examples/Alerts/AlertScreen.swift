public import Rex

/// The counter with alerts in a terminal.
public final class AlertScreen: TerminalExample, Composable {
    /// `alerts`.
    public static let name = "alerts"
    /// What it shows.
    public static let summary = "a counter with an alert, timers and a fetch, as in RxCompose"
    /// Its lines.
    public static let usage = [
        "+, -                 one more, one less; an alert at 10 and at -10",
        "timer                ticks after 1 s and then every 2 s",
        "count                counts every second",
        "stop                 ends both",
        "fetch, fetch fail    an answer in 1 s, or none",
    ]

    /// The counter, connected.
    @Compose public var composer: AlertCounter
    private let bag = SubscriptionBag()
    private let write: @MainActor (String) -> Void

    /// Shows the counter from now on.
    public init(clock: any Clock<Duration>, write: @escaping @MainActor (String) -> Void) {
        _composer = Compose(wrappedValue: AlertCounter(clock: clock), clock: clock)
        self.write = write
        bind()
    }

    /// Ties the lines to the state.
    public func bind() {
        let state = composer.$state.observable
        state.map(\.count).distinctUntilChanged()
            .drive(with: self) { this, count in this.write("count \(count)") }
            .disposed(by: bag)
        state.map(\.ticks).distinctUntilChanged().dropFirst()
            .drive(with: self) { this, ticks in this.write("tick \(ticks)") }
            .disposed(by: bag)
        state.map(\.isLoading).distinctUntilChanged().filter(\.self)
            .drive(with: self) { this, _ in this.write("loading ...") }
            .disposed(by: bag)
        state.compactMap(\.data).distinctUntilChanged()
            .drive(with: self) { this, data in this.write("loaded \(data)") }
            .disposed(by: bag)
        composer.$state.present(\.$alertMessage)
            .compactMap(\.self)
            .drive(with: self) { this, message in this.write("[ \(message) ]") }
            .disposed(by: bag)
    }

    /// Sends the action that a line means.
    public func take(_ words: [String]) throws {
        switch words {
        case ["+"]: composer.send(.increment)
        case ["-"]: composer.send(.decrement)
        case ["timer"]: composer.send(.startTimer)
        case ["count"]: composer.send(.startCounting)
        case ["stop"]: composer.send(.stop)
        case ["fetch"]: composer.send(.fetchData(fails: false))
        case ["fetch", "fail"]: composer.send(.fetchData(fails: true))
        default: throw unknown(words)
        }
    }

    /// The composer's.
    public func effectCount() -> Int { composer.effects.count }
}
