import Rex
import Testing

// The code of ComposableUIKit's document. What stands for a line that needs UIKit says `was:`;
// every other line is as it stands there, but for the imports: what ComposableArchitecture and
// ComposableUIKit give is in `Rex`, under the names below.

private typealias Store<State: Equatable, Action> = ScopedStore<State, Action>
private typealias NavSegment<ID: Hashable> = Rex.NavSegment<ID, UIViewController>

private enum UnauthenticatedNavSegmentID {
    case root, login, registration, resetPassword
}

/// The segments that were made, in order.
@MainActor
private final class Segments {
    var made: [UnauthenticatedNavSegmentID] = []
}

/// The document has these functions beside the store and the dependencies that they mention.
@MainActor
private struct Unauthenticated {
    let unauthenticatedStore: Store<UnauthenticatedState, UnauthenticatedAction>
    let dependencies = Dependencies()
    let segments: Segments

    // MARK: As in the document

    func makeNavigationController(
        store: Store<UnauthenticatedState, UnauthenticatedAction>
    ) -> UINavigationController {
        UINavigationController()
            .composable
            .bind(
                store: unauthenticatedStore,
                makeRootSegment: { unauthenticatedStore in
                    makeUnauthenticatedRootSegment(
                        store: unauthenticatedStore,
                        dependencies: dependencies.decorated
                    )
                },
                makeDismissAction: \.dismissAction
            )
    }

    private func makeUnauthenticatedRootSegment(
        store: Store<UnauthenticatedState, UnauthenticatedAction>
    ) -> NavSegment<UnauthenticatedNavSegmentID> {
        NavSegment(
            id: .root,
            store: store,
            screens: { store in  // was: viewControllers: { store in
                NavSegment.Entry(  // was: NavSegment.ViewController(
                    store: store,
                    make: UnauthenticatedRootViewController.init(viewStore:)
                )
            },
            nextSegment: { store in
                NavSegment.Next(
                    store: store,
                    toLocalState: \.login,
                    fromLocalAction: UnauthenticatedAction.login,
                    make: makeLoginSegment
                )
                NavSegment.Next(
                    store: store,
                    toLocalState: \.registration,
                    fromLocalAction: UnauthenticatedAction.registration,
                    make: makeRegistrationSegment
                )
            }
        )
    }

    // MARK: What the document leaves to its reader

    private func makeUnauthenticatedRootSegment(
        store: Store<UnauthenticatedState, UnauthenticatedAction>, dependencies: Dependencies
    ) -> NavSegment<UnauthenticatedNavSegmentID> {
        precondition(dependencies.isDecorated)
        segments.made.append(.root)
        return makeUnauthenticatedRootSegment(store: store)
    }

    private func makeLoginSegment(
        store: Store<LoginState, LoginAction>
    ) -> NavSegment<UnauthenticatedNavSegmentID> {
        segments.made.append(.login)
        return NavSegment(
            id: .login, store: store,
            screens: { store in
                NavSegment.Entry(store: store, make: LoginViewController.init(viewStore:))
                NavSegment.Entry(
                    store: store, showIf: \.asksForCode, dismissAction: .forgetCode,
                    make: CodeViewController.init(viewStore:))
                NavSegment.Entry(
                    store: store, state: \.hint, action: { (action: LoginAction) in action },
                    make: HintViewController.init(viewStore:))
            },
            nextSegment: { store in
                NavSegment.Next(
                    store: store, toLocalState: \.resetPassword,
                    fromLocalAction: LoginAction.resetPassword, make: makeResetSegment)
            })
    }

    private func makeResetSegment(
        store: Store<ResetState, ResetAction>
    ) -> NavSegment<UnauthenticatedNavSegmentID> {
        segments.made.append(.resetPassword)
        return NavSegment(id: .resetPassword, store: store) { store in
            NavSegment.Entry(store: store, make: ResetViewController.init(viewStore:))
        }
    }

    private func makeRegistrationSegment(
        store: Store<RegistrationState, RegistrationAction>
    ) -> NavSegment<UnauthenticatedNavSegmentID> {
        segments.made.append(.registration)
        return NavSegment(id: .registration, store: store) { store in
            NavSegment.Entry(store: store, make: RegistrationViewController.init(viewStore:))
        }
    }
}

extension UnauthenticatedNavSegmentID {
    fileprivate var dismissAction: UnauthenticatedAction? {
        switch self {
        case .root:
            return nil
        case .login:
            return .dismissLogin
        case .registration:
            return .dismissRegistration
        case .resetPassword:
            return .login(.dismissResetPassword)
        }
    }
}

// MARK: - The store

private struct ResetState: Statable {
    var mail = ""
}

private enum ResetAction: Actionable, Equatable {
    case setMail(String)
}

private struct LoginState: Statable {
    var name = ""
    var asksForCode = false
    var hint: String?
    var resetPassword: ResetState?
}

private enum LoginAction: Actionable, Equatable {
    case setName(String)
    case askForCode
    case forgetCode
    case setHint(String?)
    case forgot
    case dismissResetPassword
    case resetPassword(ResetAction)
}

private struct RegistrationState: Statable {}

private enum RegistrationAction: Actionable, Equatable {}

private struct UnauthenticatedState: Statable {
    var login: LoginState?
    var registration: RegistrationState?
    var isLocked = false
    var log: [UnauthenticatedAction] = []
}

private enum UnauthenticatedAction: Actionable, Equatable {
    case openLogin, openRegistration, lock
    case dismissLogin, dismissRegistration
    case login(LoginAction)
    case registration(RegistrationAction)
}

private struct UnauthenticatedReducer: Reducer {
    func reduce(
        state: inout UnauthenticatedState, action: UnauthenticatedAction
    ) -> [Effect<UnauthenticatedAction>] {
        state.log.append(action)
        switch action {
        case .openLogin: state.login = LoginState()
        case .openRegistration: state.registration = RegistrationState()
        case .lock: state.isLocked = true
        case .dismissLogin: if !state.isLocked { state.login = nil }
        case .dismissRegistration: state.registration = nil
        case .login(.setName(let name)): state.login?.name = name
        case .login(.askForCode): state.login?.asksForCode = true
        case .login(.forgetCode): state.login?.asksForCode = false
        case .login(.setHint(let hint)): state.login?.hint = hint
        case .login(.forgot): state.login?.resetPassword = ResetState()
        case .login(.dismissResetPassword): state.login?.resetPassword = nil
        case .login(.resetPassword(.setMail(let mail))): state.login?.resetPassword?.mail = mail
        }
        return []
    }
}

private struct Dependencies {
    var isDecorated = false

    var decorated: Dependencies { Dependencies(isDecorated: true) }
}

// MARK: - What UIKit gives

private final class UINavigationController: NavigationPresenter {
    var bindingLifetime: BindingLifetime?
    private(set) var viewControllers: [UIViewController] = []
    /// What was shown, one stack after the other.
    let stacks = FlowSource<[String]>([])
    private(set) var animations: [Bool] = []

    func show(_ screens: [UIViewController], animated: Bool) {
        viewControllers = screens
        animations.append(animated)
        stacks.send(titles)
    }

    /// What the back button does, and a long press on it.
    func userGoesBack(_ count: Int = 1) {
        viewControllers.removeLast(count)
        didGoBack(keeping: viewControllers.count)
    }

    var titles: [String] { viewControllers.map { "\(type(of: $0))" } }
}

private final class UnauthenticatedRootViewController: UIViewController {
    let viewStore: Store<UnauthenticatedState, UnauthenticatedAction>

    init(viewStore: Store<UnauthenticatedState, UnauthenticatedAction>) {
        self.viewStore = viewStore
    }
}

private final class LoginViewController: UIViewController {
    let viewStore: Store<LoginState, LoginAction>

    init(viewStore: Store<LoginState, LoginAction>) {
        self.viewStore = viewStore
    }
}

private final class CodeViewController: UIViewController {
    init(viewStore: Store<LoginState, LoginAction>) {}
}

private final class HintViewController: UIViewController {
    init(viewStore: Store<String, LoginAction>) {}
}

private final class ResetViewController: UIViewController {
    let viewStore: Store<ResetState, ResetAction>

    init(viewStore: Store<ResetState, ResetAction>) {
        self.viewStore = viewStore
    }
}

private final class RegistrationViewController: UIViewController {
    init(viewStore: Store<RegistrationState, RegistrationAction>) {}
}

// MARK: - Tests

@MainActor
@Suite(.timeLimit(.minutes(1)))
struct ComposableUIKitTests {
    private let root = "UnauthenticatedRootViewController"
    private let login = "LoginViewController"
    private let code = "CodeViewController"
    private let hint = "HintViewController"
    private let reset = "ResetViewController"
    private let registration = "RegistrationViewController"

    private let shared = Rex.Store(
        initialState: UnauthenticatedState(), reducer: UnauthenticatedReducer())
    private let store: Store<UnauthenticatedState, UnauthenticatedAction>
    private let segments = Segments()
    private let navigation: UINavigationController

    init() {
        store = ScopedStore(shared)
        navigation = Unauthenticated(unauthenticatedStore: store, segments: segments)
            .makeNavigationController(store: store)
    }

    @Test func `the stack follows from the state, any depth`() {
        #expect(navigation.titles == [root])
        store.send(.openLogin)
        #expect(navigation.titles == [root, login])
        store.send(.login(.forgot))
        #expect(navigation.titles == [root, login, reset])
        #expect(navigation.animations == [false, true, true])
        store.send(.dismissLogin)
        #expect(navigation.titles == [root])
    }

    @Test func `what others dispatch is shown too`() async {
        let shared = shared
        let task = Task.detached {
            shared.dispatch(.openLogin)
            shared.dispatch(.login(.forgot))
        }
        for await stack in navigation.stacks.flow.values where stack == [root, login, reset] {
            break
        }
        await task.value
        #expect(store.state.login?.resetPassword != nil)
    }

    @Test func `of several that could come next the first holds`() {
        store.send(.openRegistration)
        #expect(navigation.titles == [root, registration])
        store.send(.openLogin)
        #expect(navigation.titles == [root, login])
        store.send(.dismissLogin)
        #expect(navigation.titles == [root, registration])
    }

    @Test func `several screens, each shown if`() {
        store.send(.openLogin)
        store.send(.login(.askForCode))
        #expect(navigation.titles == [root, login, code])
        store.send(.login(.setHint("pet")))
        #expect(navigation.titles == [root, login, code, hint])
        store.send(.login(.forgetCode))
        #expect(navigation.titles == [root, login, hint])
        store.send(.login(.forgot))
        #expect(navigation.titles == [root, login, hint, reset])
        store.send(.login(.setHint(nil)))
        #expect(navigation.titles == [root, login, reset])
    }

    @Test func `a segment is made when its parent is there, and once`() {
        #expect(segments.made == [.root])
        store.send(.openLogin)
        store.send(.login(.setName("ada")))
        #expect(segments.made == [.root, .login])
        let screen = navigation.viewControllers[1]
        store.send(.login(.forgot))
        #expect(segments.made == [.root, .login, .resetPassword])
        #expect(navigation.viewControllers[1] === screen)
        // Another login is another segment.
        store.send(.dismissLogin)
        store.send(.openLogin)
        #expect(segments.made == [.root, .login, .resetPassword, .login])
        #expect(navigation.viewControllers[1] !== screen)
    }

    @Test func `a screen sees its part of the state, and sends its actions`() throws {
        store.send(.openLogin)
        store.send(.login(.forgot))
        let screen = try #require(navigation.viewControllers[2] as? ResetViewController)
        var mails: [String] = []
        screen.viewStore.states.drive { mails.append($0.mail) }
        screen.viewStore.send(.setMail("a@b"))
        #expect(store.state.login?.resetPassword?.mail == "a@b")
        #expect(screen.viewStore.state.mail == "a@b")
        store.send(.login(.setName("ada")))
        store.send(.dismissLogin)
        // It is gone: whoever still holds the screen sees what was last.
        #expect(screen.viewStore.state.mail == "a@b")
        #expect(mails == ["", "a@b"])
    }

    @Test func `going back one level dismisses it`() {
        store.send(.openLogin)
        store.send(.login(.forgot))
        navigation.userGoesBack()
        #expect(store.state.log.suffix(1) == [.login(.dismissResetPassword)])
        #expect(navigation.titles == [root, login])
        // The presenter knows: nothing is shown to it again.
        #expect(navigation.animations == [false, true, true])
        navigation.userGoesBack()
        #expect(store.state.log.suffix(1) == [.dismissLogin])
    }

    @Test func `going back several levels dismisses the deepest first`() {
        store.send(.openLogin)
        store.send(.login(.askForCode))
        store.send(.login(.forgot))
        #expect(navigation.titles == [root, login, code, reset])
        navigation.userGoesBack(3)
        #expect(store.state.log.suffix(2) == [.login(.dismissResetPassword), .dismissLogin])
        #expect(store.state.login == nil)
        #expect(navigation.titles == [root])
        #expect(navigation.animations.count == 4)
    }

    @Test func `going back past a screen of a segment that stays`() {
        store.send(.openLogin)
        store.send(.login(.askForCode))
        store.send(.login(.setHint("pet")))
        // The hint has no action of its own: the state still wants it.
        navigation.userGoesBack()
        #expect(navigation.titles == [root, login, code, hint])
        store.send(.login(.setHint(nil)))
        navigation.userGoesBack()
        #expect(store.state.log.suffix(1) == [.login(.forgetCode)])
        #expect(navigation.titles == [root, login])
    }

    @Test func `what the store does not let go of comes back`() {
        store.send(.openLogin)
        store.send(.lock)
        let screens = navigation.viewControllers
        navigation.userGoesBack()
        #expect(store.state.log.suffix(1) == [.dismissLogin])
        #expect(navigation.titles == [root, login])
        #expect(navigation.viewControllers[1] === screens[1])
        let count = store.state.log.count
        navigation.userGoesBack(2)
        #expect(store.state.log.count == count + 1)
        #expect(navigation.titles == [root, login])
    }

    @Test func `cancelling ends it`() {
        let lifetime = navigation.composable.bindingLifetime
        store.send(.openLogin)
        navigation.composable.bindingLifetime?.cancel()
        #expect(lifetime?.isCancelled == true)
        store.send(.login(.forgot))
        #expect(navigation.titles == [root, login])
        navigation.userGoesBack()
        #expect(store.state.log == [.openLogin, .login(.forgot)])
    }

    @Test func `binding again replaces`() {
        let before = navigation.composable.bindingLifetime
        let other = ScopedStore(
            Rex.Store(
                initialState: UnauthenticatedState(login: LoginState()),
                reducer: UnauthenticatedReducer()))
        navigation.composable.bind(
            store: other,
            makeRootSegment: { store in
                NavSegment(id: .login, store: store) { store in
                    NavSegment.Entry(
                        store: store, state: \.login, action: UnauthenticatedAction.login,
                        make: LoginViewController.init(viewStore:))
                }
            },
            makeDismissAction: \UnauthenticatedNavSegmentID.dismissAction)
        #expect(before?.isCancelled == true)
        #expect(navigation.titles == [login])
        store.send(.openRegistration)
        #expect(navigation.titles == [login])
        other.send(.dismissLogin)
        #expect(navigation.titles == [])
    }

    @Test func `the presenter's end ends it`() {
        var presenter: UINavigationController? = Unauthenticated(
            unauthenticatedStore: store, segments: segments
        ).makeNavigationController(store: store)
        weak let remembered = presenter
        weak let lifetime = presenter?.bindingLifetime
        let count = segments.made.count
        presenter = nil
        #expect(remembered == nil)
        #expect(lifetime == nil)
        navigation.bindingLifetime?.cancel()
        store.send(.openLogin)
        #expect(segments.made.count == count)
    }
}
