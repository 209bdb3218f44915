public import Rex

/// Leads from the counter to the page about it and back.
public final class HomeCoordinator: Coordinator<StepCounterStep> {
    /// The coordinator of the page, while that is shown.
    public private(set) var about: AboutCoordinator?
    /// The screens that are shown, the first one first.
    public let screens = FlowSource(["counter"])

    /// Shows the screens that a step leads to.
    override public func navigate(to step: StepCounterStep) {
        switch step {
        case .home(.goToAbout):
            about = AboutCoordinator(parentCoordinator: self)
            screens.send(["counter", "about"])
        case .home(.comeBack):
            resetChildReferences()
            about = nil
            screens.send(["counter"])
        }
    }
}

/// What may be asked for on the page about the counter.
public enum AboutStep: Sendable {
    /// To be done with it.
    case close
}

/// The page about the counter; knows only that somebody above can come back.
public final class AboutCoordinator: Coordinator<AboutStep> {
    /// Has the coordinator of the counter come back.
    override public func navigate(to step: AboutStep) {
        firstCoordinator(ofType: HomeCoordinator.self)?.perform(step: .home(.comeBack))
    }
}
