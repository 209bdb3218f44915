import COpenSSL

/// Signatures by OpenSSL. Keys are bytes here; nothing of OpenSSL's is kept.
enum Signature {
    /// The shortest secret of HS256, in bytes (RFC 7518 §3.2).
    static let secretBytes = 32
    /// The sizes of an RSA key, in bytes: a shorter one can be broken, a longer one only costs
    /// time (RFC 7518 §3.3).
    static let modulusBytes = 256...1_024

    /// HMAC-SHA-256 (RFC 2104).
    static func hmac(_ message: [UInt8], secret: [UInt8]) -> [UInt8] {
        var code = [UInt8](repeating: 0, count: 32)
        var count: UInt32 = 0
        let result = HMAC(
            EVP_sha256(), secret, Int32(secret.count), message, message.count, &code, &count)
        precondition(result != nil && count == 32, "OpenSSL could not make an HMAC")
        return code
    }

    /// Whether an RSA key (modulus and exponent, the most significant byte first) made this
    /// signature with PKCS #1 v1.5 and SHA-256 (RFC 8017 §8.2.2).
    static func isRSA(
        _ signature: [UInt8], of message: [UInt8], modulus: [UInt8], exponent: [UInt8]
    ) -> Bool {
        let text = Self.publicKey(modulus, exponent)
        return text.withUnsafeBufferPointer { bytes in
            var place = bytes.baseAddress
            guard let key = d2i_PUBKEY(nil, &place, bytes.count) else { return Self.failed() }
            defer { EVP_PKEY_free(key) }
            return verifies(signature, message, key, EVP_sha256())
        }
    }

    /// Whether an Ed25519 key of 32 bytes made this signature (RFC 8032 §5.1.7).
    static func isEd25519(_ signature: [UInt8], of message: [UInt8], key: [UInt8]) -> Bool {
        guard let key = EVP_PKEY_new_raw_public_key(EVP_PKEY_ED25519, nil, key, key.count) else {
            return failed()
        }
        defer { EVP_PKEY_free(key) }
        return verifies(signature, message, key, nil)
    }

    /// Whether a key of RSA proves something: `modulusBytes` of a number, and an odd exponent above
    /// 1.
    static func isStrong(modulus: [UInt8], exponent: [UInt8]) -> Bool {
        let digits = modulus.drop { $0 == 0 }
        let bits = digits.count * 8 - (digits.first?.leadingZeroBitCount ?? 0)
        let power = exponent.drop { $0 == 0 }
        return bits >= modulusBytes.lowerBound * 8 && power != [1] && (power.last ?? 0) & 1 == 1
    }

    /// Whether a key of Ed25519 proves something: with a point of small order anybody can sign
    /// (RFC 7748 §6.1 names the like for X25519).
    static func isStrong(ed25519 key: [UInt8]) -> Bool {
        guard key.count == 32 else { return false }
        // The sign of the other coordinate.
        let point = key.dropLast() + [key[31] & 0x7F]
        return !weakPoints.contains(Array(point))
    }

    /// The points of order 1, 2, 4 and 8, and the numbers above the field's that stand for them.
    private static let weakPoints: Set<[UInt8]> = [
        [UInt8](repeating: 0, count: 32),
        [1] + [UInt8](repeating: 0, count: 31),
        Array(
            Digest.bytes("26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05") ?? []),
        Array(
            Digest.bytes("c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a") ?? []),
        [0xEC] + [UInt8](repeating: 0xFF, count: 30) + [0x7F],
        [0xED] + [UInt8](repeating: 0xFF, count: 30) + [0x7F],
        [0xEE] + [UInt8](repeating: 0xFF, count: 30) + [0x7F],
    ]

    private static func verifies(
        _ signature: [UInt8], _ message: [UInt8], _ key: OpaquePointer, _ digest: OpaquePointer?
    ) -> Bool {
        guard let context = EVP_MD_CTX_new() else { return failed() }
        defer { EVP_MD_CTX_free(context) }
        guard EVP_DigestVerifyInit(context, nil, digest, nil, key) == 1,
            EVP_DigestVerify(context, signature, signature.count, message, message.count) == 1
        else { return failed() }
        return true
    }

    /// What OpenSSL noted of a failure is nobody's next failure.
    private static func failed() -> Bool {
        ERR_clear_error()
        return false
    }

    // MARK: DER

    /// An RSA key as SubjectPublicKeyInfo (RFC 3279 §2.3.1).
    private static func publicKey(_ modulus: [UInt8], _ exponent: [UInt8]) -> [UInt8] {
        let algorithm: [UInt8] = [
            0x30, 0x0D, 0x06, 0x09, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x01, 0x01, 0x05,
            0x00,
        ]
        let key = element(0x30, integer(modulus) + integer(exponent))
        return element(0x30, algorithm + element(0x03, [0] + key))
    }

    private static func integer(_ bytes: [UInt8]) -> [UInt8] {
        let digits = Array(bytes.drop { $0 == 0 })
        // A first bit that is set would say that it is negative.
        return element(0x02, (digits.first ?? 0x80) < 0x80 ? digits : [0] + digits)
    }

    private static func element(_ tag: UInt8, _ content: [UInt8]) -> [UInt8] {
        guard content.count >= 0x80 else { return [tag, UInt8(content.count)] + content }
        let length = [UInt8(content.count >> 8), UInt8(content.count & 0xFF)].drop { $0 == 0 }
        return [tag, 0x80 | UInt8(length.count)] + length + content
    }
}
