import Rex

/// The counter with mutations and steps in a terminal.
public final class StepScreen: TerminalExample {
    /// `steps`.
    public static let name = "steps"
    /// What it shows.
    public static let summary = "a counter with mutations and navigation steps, as in GoodReactor"
    /// Its lines.
    public static let usage = [
        "+, -        one more, one less",
        "++, --      two mutations of one action",
        "later N     adds N in 2 s",
        "about       a step to another screen",
        "back        and back",
    ]

    private let coordinator = HomeCoordinator()
    private let viewModel: StepCounter
    private var bag = SubscriptionBag()

    /// Shows the counter from now on.
    public init(clock: any Clock<Duration>, write: @escaping @MainActor (String) -> Void) {
        viewModel = StepCounter(coordinator: coordinator, clock: clock)
        coordinator.screens.flow
            .drive { write("== \($0.joined(separator: " → ")) ==") }
            .store(in: &bag)
        viewModel.state
            .map { String($0.counterValue) }
            .removeDuplicates()
            .drive { write("counter \($0)") }
            .store(in: &bag)
        viewModel.state
            .map(\.waiting)
            .removeDuplicates()
            .dropFirst()
            .drive { write("waiting for \($0)") }
            .store(in: &bag)
    }

    /// Sends the action that a line means.
    public func take(_ words: [String]) throws {
        switch (words[0], words.count) {
        case ("+", 1): viewModel.send(event: .updateCounterValue(.increase))
        case ("-", 1): viewModel.send(event: .updateCounterValue(.decrease))
        case ("++", 1): viewModel.send(event: .twice(.increase))
        case ("--", 1): viewModel.send(event: .twice(.decrease))
        case ("later", 2):
            guard let number = Int(words[1]), abs(number) <= 1_000 else { throw unknown(words) }
            viewModel.send(event: .addLater(number))
        case ("about", 1): viewModel.send(event: .goToAbout)
        case ("back", 1):
            guard let about = coordinator.about else { throw Refusal("this is the first screen") }
            about.perform(step: .close)
        default: throw unknown(words)
        }
    }

    /// The reactor's.
    public func effectCount() -> Int { viewModel.effects.count }
}
