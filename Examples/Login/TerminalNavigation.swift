public import Rex

/// A screen in a terminal.
@MainActor
public struct TerminalScreen {
    /// What stands above it.
    public let title: String
    /// What it shows now.
    public let lines: @MainActor () -> [String]
    /// Does what a line says; false where it is none of its own.
    public let take: @MainActor ([String]) -> Bool

    /// A screen that shows, and takes, lines.
    public init(
        title: String, lines: @escaping @MainActor () -> [String],
        take: @escaping @MainActor ([String]) -> Bool
    ) {
        self.title = title
        self.lines = lines
        self.take = take
    }
}

/// Shows a stack of screens in a terminal: the way to the last one, and that one.
public final class TerminalNavigation: NavigationPresenter {
    /// What was bound last.
    public var bindingLifetime: BindingLifetime?
    /// The screens, the last on top.
    public private(set) var screens: [TerminalScreen] = []
    private let write: @MainActor (String) -> Void

    /// Shows nothing yet.
    public init(write: @escaping @MainActor (String) -> Void) {
        self.write = write
    }

    /// Shows other screens.
    public func show(_ screens: [TerminalScreen], animated: Bool) {
        self.screens = screens
        draw()
    }

    /// Shows the screens that there are once more.
    public func draw() {
        write("== \(screens.map(\.title).joined(separator: " → ")) ==")
        for line in screens.last?.lines() ?? [] { write(line) }
    }

    /// What a back button does, `count` times.
    public func goBack(_ count: Int) throws {
        guard count > 0, count < screens.count else {
            throw Refusal("one can go back by at most \(screens.count - 1) here")
        }
        screens.removeLast(count)
        draw()
        didGoBack(keeping: screens.count)
    }
}
