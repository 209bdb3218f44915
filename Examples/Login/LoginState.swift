public import Rex

/// Somebody who is not logged in: each part that is there is a screen, or several.
public struct UnauthenticatedState: Statable {
    /// Whoever logs in.
    public internal(set) var login: LoginState?
    /// Whoever registers.
    public internal(set) var registration: RegistrationState?
    /// Who has logged in or registered last.
    public internal(set) var user: String?

    /// On the first screen.
    public init() {}
}

/// A login under way.
public struct LoginState: Equatable, Sendable {
    /// The name that was given.
    public internal(set) var name = ""
    /// Whether the name was accepted, and a code is asked for: a second screen of this part.
    public internal(set) var asksForCode = false
    /// Whoever has forgotten the code.
    public internal(set) var resetPassword: ResetState?
}

/// A new code on its way.
public struct ResetState: Equatable, Sendable {
    /// Where it is sent.
    public internal(set) var mail = ""
    /// Whether it is being sent.
    public internal(set) var isSending = false
}

/// A registration under way.
public struct RegistrationState: Equatable, Sendable {
    /// The name that was given.
    public internal(set) var name = ""
}

/// What can happen to somebody who is not logged in.
public enum UnauthenticatedAction: Actionable, Equatable {
    /// Opens a screen.
    case openLogin, openRegistration
    /// Closes one.
    case dismissLogin, dismissRegistration
    /// Something on the screens of the login, or of the registration.
    case login(LoginAction)
    case registration(RegistrationAction)
}

/// What can happen in a login.
public enum LoginAction: Actionable, Equatable {
    /// A name; a code for it.
    case setName(String)
    case enterCode(String)
    /// Another name after all.
    case forgetName
    /// Opens the reset; closes it.
    case openResetPassword, dismissResetPassword
    /// Something on the screen of the reset.
    case resetPassword(ResetAction)
}

/// What can happen in a reset.
public enum ResetAction: Actionable, Equatable {
    /// Where to send a new code.
    case send(to: String)
    /// It has been sent.
    case sent
}

/// What can happen in a registration.
public enum RegistrationAction: Actionable, Equatable {
    /// A name.
    case setName(String)
}
