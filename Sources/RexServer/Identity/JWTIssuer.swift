import FoundationEssentials
import Rex
import RexProtocol

/// Whose tokens are believed, for whom they have to be, and what their owners may do.
struct JWTIssuer: Sendable {
    /// The most keys at a time.
    static let keysLimit = 100
    /// How far the issuer's clock may be ahead where a token is not good yet, in seconds.
    private static let leewaySeconds = 5.0

    let keys: [JWT.Key]
    /// What `aud` has to name: a token for somebody else is not for us.
    let audience: String
    /// What `iss` has to be, where that is said.
    let issuer: String?
    /// What may be done by whose token names no role; nil where each has to name one.
    let usual: Permissions?
    /// What the claim `role` may name.
    let roles: [ExactName: Permissions]

    /// What a token said that was good, and the key that signed it: enough to look at it again.
    struct Claims: Hashable, Sendable {
        let user: String
        let role: String?
        let audiences: [String]
        let issuer: String?
        let expiry: Date
        let key: JWT.Key
    }

    /// Whose a token is.
    func principal(token: String, at now: Date) throws(JWTFault) -> Principal {
        let (text, key) = try JWT.payload(of: token, keys: keys)
        return try principal(of: try Self.claims(in: text, signedBy: key, at: now), at: now)
    }

    /// Who the owner of a token that was good is now.
    func principal(of claims: Claims, at now: Date) throws(JWTFault) -> Principal {
        guard keys.contains(claims.key) else { throw JWTFault("its key is not known here") }
        guard now < claims.expiry else { throw JWTFault("it has expired") }
        guard claims.audiences.contains(where: { $0.utf8.elementsEqual(audience.utf8) }) else {
            throw JWTFault("it is for another audience")
        }
        if let issuer {
            guard let own = claims.issuer, own.utf8.elementsEqual(issuer.utf8) else {
                throw JWTFault("it is of another issuer")
            }
        }
        guard let permissions = claims.role.map({ roles[ExactName($0)] }) ?? usual else {
            throw JWTFault("it names no role that is known here")
        }
        return Principal(
            user: claims.user, permissions: permissions, proof: .jwt(claims),
            expiry: claims.expiry)
    }

    /// Reads what a token says (RFC 7519 §4.1). One that never ends is refused.
    private static func claims(
        in payload: [UInt8], signedBy key: JWT.Key, at now: Date
    ) throws(JWTFault) -> Claims {
        let object = try JWT.object(payload)
        guard let user = object["sub"]?.string, UserName.isGood(user) else {
            throw JWTFault("its sub is no name")
        }
        guard let expiry = try date("exp", in: object) else { throw JWTFault("it has no exp") }
        if let start = try date("nbf", in: object), start > now.addingTimeInterval(leewaySeconds) {
            throw JWTFault("it is not good yet")
        }
        return Claims(
            user: user, role: try text(of: "role", in: object),
            audiences: try audiences(in: object), issuer: try text(of: "iss", in: object),
            expiry: expiry, key: key)
    }

    private static func text(
        of name: String, in object: JSONObject
    ) throws(JWTFault) -> String? {
        guard let value = object[name] else { return nil }
        guard let text = value.string else { throw JWTFault("its \(name) is no string") }
        return text
    }

    private static func date(
        _ name: String, in object: JSONObject
    ) throws(JWTFault) -> Date? {
        guard let value = object[name] else { return nil }
        guard let seconds = value.double else { throw JWTFault("its \(name) is no number") }
        return Date(timeIntervalSince1970: seconds)
    }

    /// `aud` is one string, or a list of them.
    private static func audiences(in object: JSONObject) throws(JWTFault) -> [String] {
        guard let value = object["aud"] else { return [] }
        if let one = value.string { return [one] }
        guard let list = value.array else { throw JWTFault("its aud is no string") }
        let texts = list.compactMap(\.string)
        guard texts.count == list.count else { throw JWTFault("its aud is no string") }
        return texts
    }
}
