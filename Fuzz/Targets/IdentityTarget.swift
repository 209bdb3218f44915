import FoundationEssentials
import Rex
import RexProtocol

@testable import RexServer

/// Who somebody is: token files, JSON Web Tokens as they come, and what a token says that is signed
/// by a key that is believed. The first byte says which.
enum IdentityTarget {
    private static let secret = Array(repeating: UInt8(ascii: "s"), count: 32)
    private static let now = Date(timeIntervalSince1970: 1_800_000_000)

    static func run(_ input: [UInt8]) throws {
        var input = FuzzInput(input)
        switch input.byte() % 3 {
        case 0: try checkFile(input.take())
        case 1: try checkToken(input.take())
        default: try checkClaims(&input)
        }
    }

    private static func checkFile(_ text: [UInt8]) throws {
        let file: TokenFile
        do throws(ConfigurationError) {
            file = try TokenFile(parsing: text)
        } catch {
            let lines = text.count { $0 == 10 } + 1
            return try hold((1...lines).contains(error.line), "line \(error.line) of \(lines)")
        }
        for user in file.users {
            try hold(UserName.isGood(user.name), "a user \(user.name.debugDescription)")
            if let number = user.number {
                let found = file.principal(number: number)?.user
                try hold(found == user.name, "\(number) is \(found ?? "nobody")")
            }
            if let name = user.certificate {
                let found = file.principal(certificate: name)?.user
                try hold(found == user.name, "\(name) is \(found ?? "nobody")")
            }
            for digest in user.digests {
                let found = file.principal(of: .token(digest))?.user
                try hold(found == user.name, "a digest is of \(found ?? "nobody")")
            }
        }
        _ = file.stranger
        let known = try? file.principal(token: "no one's token")
        try hold(known == nil, "a token of nobody is good")
    }

    private static func keys() -> [JWT.Key] {
        [
            JWT.Key(id: "h", material: .secret(secret)),
            JWT.Key(
                id: "r",
                material: .rsa(
                    modulus: [0xC1] + Array(repeating: 0xA5, count: 255), exponent: [1, 0, 1])),
            JWT.Key(id: "e", material: .ed25519(Array(repeating: 9, count: 32))),
        ]
    }

    private static func issuer() -> JWTIssuer {
        JWTIssuer(
            keys: keys(), audience: "rex", issuer: nil, usual: nil, roles: ["all": .everything])
    }

    /// A token that nobody has signed is nobody's.
    private static func checkToken(_ text: [UInt8]) throws {
        let token = String(decoding: text, as: UTF8.self)
        guard JWT.isOne(token) else { return }
        let principal = try? issuer().principal(token: token, at: now)
        try hold(principal == nil, "a token is \(principal?.user ?? "somebody")'s")
        let certain = JWT.Key(id: nil, material: .ed25519(Array(repeating: 9, count: 32)))
        let payload = try? JWT.payload(of: token, keys: [certain])
        try hold(payload == nil, "a signature of nobody is good")
    }

    /// A head and claims, a line each, signed.
    private static func checkClaims(_ input: inout FuzzInput) throws {
        let head = input.line()
        let message = base64(head) + [UInt8(ascii: ".")] + base64(input.take())
        let signature = Signature.hmac(message, secret: secret)
        let token = String(
            decoding: message + [UInt8(ascii: ".")] + base64(signature), as: UTF8.self)
        guard let principal = try? issuer().principal(token: token, at: now) else { return }
        try hold(UserName.isGood(principal.user ?? ""), "a user \(principal.user ?? "nil")")
        try hold(principal.expiry.map { $0 > now } ?? false, "a token that is over is good")
        guard case .jwt(let claims) = principal.proof else {
            throw FuzzFinding(description: "not proved by its token")
        }
        let later = try? issuer().principal(of: claims, at: now.addingTimeInterval(.infinity))
        try hold(later == nil, "it is good for ever")
    }

    private static func base64(_ bytes: [UInt8]) -> [UInt8] {
        let alphabet = Array(
            "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
        var text: [UInt8] = []
        for start in stride(from: 0, to: bytes.count, by: 3) {
            let part = bytes[start..<min(bytes.count, start + 3)]
            let bits = part.reduce(0) { $0 << 8 | Int($1) } << (8 * (3 - part.count))
            text += (0...part.count).map { alphabet[bits >> (18 - 6 * $0) & 63] }
        }
        return text
    }
}
