import FoundationEssentials
import Rex
import RexProtocol

/// Who may come in and what each may do, as a token file says it: docs/security.md has its form.
///
/// A value: to change it, read another one and give that to the server.
public struct TokenFile: Sendable {
    /// The most bytes of a token file.
    public static let bytesLimit = 16_777_216
    /// The most users in one.
    public static let usersLimit = 10_000
    /// The most patterns or places in one list of a rule.
    public static let patternsLimit = 1_000
    /// The longest name of a user, in bytes.
    public static let nameBytesLimit = 128

    struct User: Sendable {
        let name: String
        /// SHA-256 of each token that is theirs.
        let digests: [[UInt8]]
        let certificate: String?
        let number: UInt32?
        let permissions: Permissions
    }

    let users: [User]
    private let names: Set<ExactName>
    /// What those may do who show nothing; nil where they may not even come in.
    let anonymous: Permissions?
    /// Whose JSON Web Tokens are believed; nil for nobody's.
    let jwt: JWTIssuer?

    init(users: [User], anonymous: Permissions?, jwt: JWTIssuer?) {
        self.users = users
        names = Set(users.map { ExactName($0.name) })
        self.anonymous = anonymous
        self.jwt = jwt
    }

    // MARK: Who is it?

    /// Whoever has this token. Every user is looked at, and each comparison takes the same time
    /// whatever differs.
    ///
    /// - Throws: why a JSON Web Token is not good.
    func principal(token: String, at now: Date = Date()) throws(JWTFault) -> Principal? {
        if let known = principal(digest: Digest.sha256(Array(token.utf8))) { return known }
        guard let jwt, JWT.isOne(token) else { return nil }
        return try own(try jwt.principal(token: token, at: now))
    }

    /// Whoever signs tokens makes nobody one of those who stand here by name.
    private func own(_ principal: Principal) throws(JWTFault) -> Principal {
        guard let user = principal.user, names.contains(ExactName(user)) else { return principal }
        throw JWTFault("its sub is the name of a user of the token file")
    }

    private func principal(digest: [UInt8]) -> Principal? {
        var found: Principal?
        for user in users {
            for known in user.digests where Digest.areEqual(known, digest) {
                found = Principal(
                    user: user.name, permissions: user.permissions, proof: .token(digest))
            }
        }
        return found
    }

    /// Whoever a verified client certificate names.
    func principal(certificate name: String) -> Principal? {
        let user = users.first { user in
            user.certificate.map { $0.utf8.elementsEqual(name.utf8) } ?? false
        }
        return user.map {
            Principal(user: $0.name, permissions: $0.permissions, proof: .certificate(name))
        }
    }

    /// Whoever has this number on this machine.
    func principal(number: UInt32) -> Principal? {
        users.first { $0.number == number }.map {
            Principal(user: $0.name, permissions: $0.permissions, proof: .peer(number))
        }
    }

    /// Whoever shows nothing.
    var stranger: Principal? {
        anonymous.map { Principal(user: nil, permissions: $0, proof: .none) }
    }

    /// Who a proof of an earlier file is now; nil where it is good no longer.
    func principal(of proof: Proof, at now: Date = Date()) -> Principal? {
        switch proof {
        case .none: stranger
        case .token(let digest): principal(digest: digest)
        case .certificate(let name): principal(certificate: name)
        case .peer(let number): principal(number: number)
        case .jwt(let claims): try? jwt.map { try own($0.principal(of: claims, at: now)) }
        }
    }
}
