import FoundationEssentials

/// Who somebody is found to be, what they may do, and what it was found by.
struct Principal: Sendable {
    /// The name that was proven; nil for one without a name.
    let user: String?
    let permissions: Permissions
    let proof: Proof
    /// When the proof is no longer good; nil for never.
    var expiry: Date?

    /// Whoever comes to a server that asks nobody.
    static let anyone = Principal(user: nil, permissions: .everything, proof: .none)
    /// Whoever has not said yet who they are.
    static let unknown = Principal(user: nil, permissions: .none, proof: .none)
}

/// What a name was proven by; it is looked at again when the rules change.
enum Proof: Hashable, Sendable {
    /// Nothing was shown.
    case none
    /// A token of the token file, as its SHA-256.
    case token([UInt8])
    /// The common name of a verified client certificate.
    case certificate(String)
    /// The number of the user of the system at the other end of a Unix socket.
    case peer(UInt32)
    /// A JSON Web Token, as what it said.
    case jwt(JWTIssuer.Claims)
}
