import COpenSSL

/// Fingerprints and unguessable names, by OpenSSL.
enum Digest {
    /// SHA-256 (FIPS 180-4).
    static func sha256(_ bytes: [UInt8]) -> [UInt8] {
        var digest = [UInt8](repeating: 0, count: 32)
        let status = EVP_Digest(bytes, bytes.count, &digest, nil, EVP_sha256(), nil)
        precondition(status == 1, "OpenSSL could not make a SHA-256")
        return digest
    }

    /// Whether both are the same bytes. Takes the same time wherever they differ, so that nobody
    /// can find a secret piece by piece.
    static func areEqual(_ a: [UInt8], _ b: [UInt8]) -> Bool {
        a.count == b.count && CRYPTO_memcmp(a, b, a.count) == 0
    }

    /// Reads what `hexadecimal` wrote; nil where it is none.
    static func bytes(_ text: String) -> [UInt8]? {
        let digits = text.utf8.map { Character(UnicodeScalar($0)).hexDigitValue }
        guard digits.count % 2 == 0, !digits.contains(nil) else { return nil }
        return stride(from: 0, to: digits.count, by: 2).map {
            UInt8((digits[$0] ?? 0) << 4 | (digits[$0 + 1] ?? 0))
        }
    }

    /// Lower-case digits, two for each byte.
    static func hexadecimal(_ bytes: [UInt8]) -> String {
        let digits = Array("0123456789abcdef".utf8)
        return String(
            decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
    }
}

/// Names nobody can guess: epochs and sessions.
enum Identifiers {
    /// 128 random bits as 32 hexadecimal digits.
    static func fresh() -> String {
        var random = SystemRandomNumberGenerator()
        let words = (random.next() as UInt64, random.next() as UInt64)
        return Digest.hexadecimal(withUnsafeBytes(of: words) { Array($0) })
    }
}
