import COpenSSL
import FoundationEssentials

/// Fingerprints and unguessable names, by OpenSSL.
enum Digest {
    /// SHA-256 (FIPS 180-4).
    static func sha256(_ bytes: [UInt8]) -> [UInt8] {
        var digest = [UInt8](repeating: 0, count: 32)
        let status = EVP_Digest(bytes, bytes.count, &digest, nil, EVP_sha256(), nil)
        precondition(status == 1, "OpenSSL could not make a SHA-256")
        return digest
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

extension Digest {
    /// What a server answers to a handshake's key (RFC 6455 §4.2.2): SHA-1, which protects nothing
    /// here and only shows that the handshake was understood.
    static func webSocketAccept(_ key: String) -> String {
        let text = Array((key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11").utf8)
        var digest = [UInt8](repeating: 0, count: 20)
        let status = EVP_Digest(text, text.count, &digest, nil, EVP_sha1(), nil)
        precondition(status == 1, "OpenSSL could not make a SHA-1")
        return Data(digest).base64EncodedString()
    }
}
