import Rex

/// The parts of the state that have screens.
enum UnauthenticatedNavSegmentID {
    case root, login, registration, resetPassword

    /// What is sent when the person goes back past the part.
    var dismissAction: UnauthenticatedAction? {
        switch self {
        case .root: nil
        case .login: .dismissLogin
        case .registration: .dismissRegistration
        case .resetPassword: .login(.dismissResetPassword)
        }
    }
}

typealias LoginSegment = NavSegment<UnauthenticatedNavSegmentID, TerminalScreen>

extension LoginSegment {
    /// The first screen, and what may lie on it.
    @MainActor
    static func root(
        _ store: ScopedStore<UnauthenticatedState, UnauthenticatedAction>
    ) -> LoginSegment {
        LoginSegment(
            id: .root, store: store,
            screens: { store in Entry(store: store, make: TerminalScreen.welcome) },
            nextSegment: { store in
                Next(
                    store: store, toLocalState: \.login,
                    fromLocalAction: UnauthenticatedAction.login, make: login)
                Next(
                    store: store, toLocalState: \.registration,
                    fromLocalAction: UnauthenticatedAction.registration, make: registration)
            })
    }

    /// Two screens, the second only when there is a name.
    @MainActor
    private static func login(_ store: ScopedStore<LoginState, LoginAction>) -> LoginSegment {
        LoginSegment(
            id: .login, store: store,
            screens: { store in
                Entry(store: store, make: TerminalScreen.name)
                Entry(
                    store: store, showIf: \.asksForCode, dismissAction: .forgetName,
                    make: TerminalScreen.code)
            },
            nextSegment: { store in
                Next(
                    store: store, toLocalState: \.resetPassword,
                    fromLocalAction: LoginAction.resetPassword, make: reset)
            })
    }

    @MainActor
    private static func reset(_ store: ScopedStore<ResetState, ResetAction>) -> LoginSegment {
        LoginSegment(id: .resetPassword, store: store) { store in
            Entry(store: store, make: TerminalScreen.reset)
        }
    }

    @MainActor
    private static func registration(
        _ store: ScopedStore<RegistrationState, RegistrationAction>
    ) -> LoginSegment {
        LoginSegment(id: .registration, store: store) { store in
            Entry(store: store, make: TerminalScreen.registration)
        }
    }
}

extension TerminalScreen {
    fileprivate static func welcome(
        _ store: ScopedStore<UnauthenticatedState, UnauthenticatedAction>
    ) -> TerminalScreen {
        TerminalScreen(
            title: "welcome",
            lines: { ["hello, \(store.state.user ?? "stranger"): login or register"] },
            take: { words in
                switch words {
                case ["login"]: store.send(.openLogin)
                case ["register"]: store.send(.openRegistration)
                default: return false
                }
                return true
            })
    }

    fileprivate static func name(_ store: ScopedStore<LoginState, LoginAction>) -> TerminalScreen {
        TerminalScreen(
            title: "login", lines: { ["name NAME"] },
            take: { words in
                guard words.count == 2, words[0] == "name" else { return false }
                store.send(.setName(words[1]))
                return true
            })
    }

    fileprivate static func code(_ store: ScopedStore<LoginState, LoginAction>) -> TerminalScreen {
        TerminalScreen(
            title: "code", lines: { ["code CODE for \(store.state.name), or forgot"] },
            take: { words in
                switch words {
                case ["forgot"]: store.send(.openResetPassword)
                case _ where words.count == 2 && words[0] == "code":
                    store.send(.enterCode(words[1]))
                default: return false
                }
                return true
            })
    }

    fileprivate static func reset(_ store: ScopedStore<ResetState, ResetAction>) -> TerminalScreen {
        TerminalScreen(
            title: "reset",
            lines: {
                let state = store.state
                return [state.isSending ? "a code goes to \(state.mail) ..." : "mail ADDRESS"]
            },
            take: { words in
                guard words.count == 2, words[0] == "mail" else { return false }
                store.send(.send(to: words[1]))
                return true
            })
    }

    fileprivate static func registration(
        _ store: ScopedStore<RegistrationState, RegistrationAction>
    ) -> TerminalScreen {
        TerminalScreen(
            title: "registration", lines: { ["name NAME"] },
            take: { words in
                guard words.count == 2, words[0] == "name" else { return false }
                store.send(.setName(words[1]))
                return true
            })
    }
}
