import Rex
import RexProtocol

/// A JSON Web Token (RFC 7519) in its compact form (RFC 7515 §7.1), as strictly as it can be read.
///
/// The token never says by what it is to be believed: each key is for one algorithm, and a header
/// that names another is refused. What a header may bring along (`jwk`, `jku`, `x5u`, …) is not
/// looked at.
enum JWT {
    /// The most bytes of a token.
    static let bytesLimit = 8_192

    /// How a token may be signed: these ways and no other, least of all `none`.
    enum Algorithm: String, CaseIterable, Sendable {
        case hs256 = "HS256"
        case rs256 = "RS256"
        case edDSA = "EdDSA"
    }

    /// A key, which is for one algorithm.
    struct Key: Hashable, Sendable {
        let id: String?
        let material: Material

        enum Material: Hashable, Sendable {
            case secret([UInt8])
            case rsa(modulus: [UInt8], exponent: [UInt8])
            case ed25519([UInt8])
        }

        var algorithm: Algorithm {
            switch material {
            case .secret: .hs256
            case .rsa: .rs256
            case .ed25519: .edDSA
            }
        }

        func signed(_ signature: [UInt8], _ message: [UInt8]) -> Bool {
            switch material {
            case .secret(let secret):
                Digest.areEqual(Signature.hmac(message, secret: secret), signature)
            case .rsa(let modulus, let exponent):
                Signature.isRSA(signature, of: message, modulus: modulus, exponent: exponent)
            case .ed25519(let key): Signature.isEd25519(signature, of: message, key: key)
            }
        }
    }

    /// Whether a token that is none of the file's could be one of these.
    static func isOne(_ token: String) -> Bool { token.utf8.count { $0 == UInt8(ascii: ".") } == 2 }

    /// What a token says, once it is known which key has signed it.
    static func payload(
        of token: String, keys: [Key]
    ) throws(JWTFault) -> (text: [UInt8], key: Key) {
        guard token.utf8.count <= bytesLimit else {
            throw JWTFault("it has more than \(bytesLimit) bytes")
        }
        let parts = token.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard parts.count == 3, let head = Base64URL.bytes(parts[0]),
            let text = Base64URL.bytes(parts[1]), let signature = Base64URL.bytes(parts[2])
        else { throw JWTFault("it is malformed") }
        let key = try key(for: try object(head), among: keys)
        let message = Array(token.utf8.prefix(parts[0].count + 1 + parts[1].count))
        guard key.signed(signature, message) else {
            throw JWTFault("its signature is not of a key that is known here")
        }
        return (text, key)
    }

    private static func key(
        for head: JSONObject, among keys: [Key]
    ) throws(JWTFault) -> Key {
        guard let name = head["alg"]?.string, let algorithm = Algorithm(rawValue: name) else {
            let known = Algorithm.allCases.map(\.rawValue).joined(separator: ", ")
            throw JWTFault("its algorithm is none of \(known)")
        }
        // RFC 7515 §4.1.11: what must be understood is not.
        guard head["crit"] == nil else { throw JWTFault("it demands an extension") }
        if let type = head["typ"] {
            guard ["jwt", "at+jwt"].contains(type.string?.lowercased()) else {
                throw JWTFault("it is no JWT")
            }
        }
        let found: Key?
        if let id = head["kid"] {
            found = keys.first { key in
                guard let own = key.id, let id = id.string else { return false }
                return own.utf8.elementsEqual(id.utf8)
            }
        } else {
            found = keys.count == 1 ? keys.first : nil
        }
        guard let found else { throw JWTFault("its key is not known here") }
        guard found.algorithm == algorithm else {
            throw JWTFault("its key is not for \(algorithm.rawValue)")
        }
        return found
    }

    /// Reads an object; duplicate members and all else that two readers could read as two things
    /// are refused.
    static func object(_ text: [UInt8]) throws(JWTFault) -> JSONObject {
        guard let value = try? RawJSON(parsing: text, depthLimit: 16).value,
            let object = value.object
        else { throw JWTFault("it is malformed") }
        return object
    }
}

/// Why a token is not good, for a person; it says nothing of what the token holds.
struct JWTFault: Error, Hashable, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
}

/// Base64 for addresses (RFC 4648 §5) without padding. One text for each sequence of bytes: other
/// characters, blanks and bits that say nothing are refused.
enum Base64URL {
    static func bytes(_ text: some Collection<UInt8>) -> [UInt8]? {
        guard text.count % 4 != 1 else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.count * 3 / 4)
        var held: UInt32 = 0
        var bits = 0
        for character in text {
            guard let value = value(of: character) else { return nil }
            held = (held << 6 | value) & 0xFFFF
            bits += 6
            if bits >= 8 {
                bits -= 8
                bytes.append(UInt8(truncatingIfNeeded: held >> UInt32(bits)))
            }
        }
        return held & (1 << UInt32(bits) - 1) == 0 ? bytes : nil
    }

    private static func value(of character: UInt8) -> UInt32? {
        switch character {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): UInt32(character - UInt8(ascii: "A"))
        case UInt8(ascii: "a")...UInt8(ascii: "z"): UInt32(character - UInt8(ascii: "a")) + 26
        case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(character - UInt8(ascii: "0")) + 52
        case UInt8(ascii: "-"): 62
        case UInt8(ascii: "_"): 63
        default: nil
        }
    }
}
