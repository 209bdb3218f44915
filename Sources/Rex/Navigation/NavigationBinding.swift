/// The segments that are active, from the root on, and what is shown of them.
///
/// One look at the state costs a question to each screen and each possible next of an active
/// segment.
@MainActor
final class NavigationBinding<Presenter: NavigationPresenter, ID: Hashable>: GoingBack {
    private typealias Segment = NavSegment<ID, Presenter.Screen>

    /// An active segment; its screens by the place of their entry, as long as they are shown.
    private final class Level {
        let segment: Segment
        /// Which next of the level below it is.
        let branch: Int
        var screens: [Int: Shown] = [:]

        init(_ segment: Segment, branch: Int) {
            self.segment = segment
            self.branch = branch
        }

        var places: [Int] { screens.keys.sorted() }
    }

    private struct Shown {
        let number: Int
        let screen: Presenter.Screen
    }

    private weak var presenter: Presenter?
    /// Shut when the binding has ended, which may be while it looks or goes back.
    private let end: FlowGate
    private let dismiss: (ID) -> Void
    private var levels: [Level]
    /// The numbers of the screens that the presenter shows.
    private var shown: [Int] = []
    private var lastNumber = 0
    private var isGoingBack = false
    private var isLooking = false
    private var hasNews = false

    init(
        presenter: Presenter, root: NavSegment<ID, Presenter.Screen>, end: FlowGate,
        dismiss: @escaping @MainActor (ID) -> Void
    ) {
        self.presenter = presenter
        self.end = end
        self.dismiss = dismiss
        levels = [Level(root, branch: 0)]
    }

    func begin() {
        look(animated: false)
    }

    /// Looks at the state again.
    func update() {
        if isGoingBack || end.isShut { return }
        look(animated: true)
    }

    /// A screen that is made or shown may send an action: what comes of it is looked at afterwards.
    private func look(animated: Bool) {
        hasNews = true
        if isLooking { return }
        isLooking = true
        while hasNews, !end.isShut {
            hasNews = false
            follow()
        }
        if end.isShut { return }
        show(animated: animated)
        isLooking = false
        if hasNews { look(animated: true) }
    }

    func didGoBack(keeping count: Int) {
        precondition(
            count >= 0 && count <= shown.count,
            "\(count) screens are left of \(shown.count)")
        shown.removeSubrange(count...)
        // What is shown on the way, while one action after the other is reduced, is of no interest.
        isGoingBack = true
        for step in stepsBack(to: count) where !end.isShut { step() }
        isGoingBack = false
        update()
    }

    /// The actions to be sent, the deepest first.
    private func stepsBack(to count: Int) -> [() -> Void] {
        var steps: [() -> Void] = []
        var start = 0
        var isGone = false
        for level in levels {
            let places = level.places
            isGone = isGone || (start >= count && !places.isEmpty)
            if isGone {
                let id = level.segment.id
                steps.append { [dismiss] in dismiss(id) }
            } else if start + places.count > count {
                for place in places.dropFirst(count - start) {
                    if let dismiss = level.segment.entries[place].dismiss { steps.append(dismiss) }
                }
            }
            start += places.count
        }
        return steps.reversed()
    }

    /// Makes the levels those that the state says: the rest of a branch that is gone goes, what is
    /// new is made.
    private func follow() {
        var depth = 0
        while depth < levels.count, !end.isShut {
            let level = levels[depth]
            showScreens(of: level)
            depth += 1
            let branch = level.segment.nexts.firstIndex { $0.isActive() }
            if depth < levels.count && levels[depth].branch == branch { continue }
            levels.removeSubrange(depth...)
            if let branch, let segment = level.segment.nexts[branch].make() {
                levels.append(Level(segment, branch: branch))
            }
        }
    }

    private func showScreens(of level: Level) {
        for (place, entry) in level.segment.entries.enumerated() {
            if !entry.isShown() {
                level.screens[place] = nil
            } else if level.screens[place] == nil, let screen = entry.make() {
                lastNumber += 1
                level.screens[place] = Shown(number: lastNumber, screen: screen)
            }
        }
    }

    private func show(animated: Bool) {
        let stack = levels.flatMap { level in level.places.compactMap { level.screens[$0] } }
        let numbers = stack.map(\.number)
        if numbers == shown && animated { return }
        shown = numbers
        presenter?.show(stack.map(\.screen), animated: animated)
    }
}
