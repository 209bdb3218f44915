public import Rex

/// Decides who is let in. Everybody's code is `1234`.
public struct UnauthenticatedReducer: Reducer {
    private static let code = "1234"

    /// A reducer; it keeps nothing between two actions.
    public init() {}

    /// Throws `Refusal` in words for a person.
    public func reduce(
        state: inout UnauthenticatedState, action: UnauthenticatedAction
    ) throws -> [Effect<UnauthenticatedAction>] {
        switch action {
        case .openLogin: state.login = LoginState()
        case .openRegistration: state.registration = RegistrationState()
        case .dismissLogin:
            state.login = nil
            return [.cancel("reset")]
        case .dismissRegistration: state.registration = nil
        case .registration(.setName(let name)):
            state.registration = nil
            state.user = name
        case .login(.enterCode(let code)):
            guard let login = state.login, login.asksForCode else {
                throw Refusal("no code was asked for")
            }
            guard code == Self.code else { throw Refusal("this is not \(login.name)'s code") }
            state.user = login.name
            state.login = nil
        case .login(let action):
            guard var login = state.login else { throw Refusal("nobody logs in") }
            let effects = try reduce(&login, action)
            state.login = login
            return effects.map { $0.map { .login($0) } }
        }
        return []
    }

    private func reduce(
        _ login: inout LoginState, _ action: LoginAction
    ) throws -> [Effect<LoginAction>] {
        switch action {
        case .setName(let name):
            login.name = name
            login.asksForCode = true
        case .forgetName: login.asksForCode = false
        case .openResetPassword: login.resetPassword = ResetState()
        case .dismissResetPassword:
            login.resetPassword = nil
            return [.cancel("reset")]
        case .resetPassword(.send(let mail)):
            guard mail.contains("@") else { throw Refusal("'\(mail)' is no address") }
            login.resetPassword = ResetState(mail: mail, isSending: true)
            return [.delayed(.resetPassword(.sent), delay: .seconds(1), id: "reset")]
        case .resetPassword(.sent): login.resetPassword = nil
        case .enterCode: break
        }
        return []
    }
}
