import FoundationEssentials
import Rex
import RexProtocol
import Testing

@testable import RexServer

/// JSON Web Tokens: the examples of the standards, and the ways in that others left open.
@Suite struct JWTTests {
    // MARK: The examples of RFC 7515 and RFC 8037

    private static let claims =
        "eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0"
        + "cnVlfQ"
    private static let text =
        "{\"iss\":\"joe\",\r\n \"exp\":1300819380,\r\n "
        + "\"http://example.com/is_root\":true}"

    private static func bytes(_ text: String) -> [UInt8] { Base64URL.bytes(text.utf8) ?? [] }

    private func payload(_ token: String, _ keys: JWT.Key...) throws -> String {
        String(decoding: try JWT.payload(of: token, keys: keys).text, as: UTF8.self)
    }

    /// RFC 7515 A.1.
    private static let secret = JWT.Key(
        id: nil,
        material: .secret(
            bytes(
                "AyM1SysPpbyDfgZld3umj1qzKObwVMkoqQ-EstJQLr_T-1qS0gZH75aKtMN3Yj0iPS4hcgUu"
                    + "TwjAzZr1Z9CA"
                    + "ow")))
    private static let hs256 =
        "eyJ0eXAiOiJKV1QiLA0KICJhbGciOiJIUzI1NiJ9.\(claims)."
        + "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"

    /// RFC 7515 A.2.
    private static let rsa = JWT.Key(
        id: nil,
        material: .rsa(
            modulus: bytes(
                "ofgWCuLjybRlzo0tZWJjNiuSfb4p4fAkd_wWJcyQoTbji9k0l8W26mPddxHmfHQp-Vaw-4qP"
                    + "CJrcS2mJPMEzP1Pt0Bm4d4QlL-yRT-SFd2lZS-pCgNMsD1W_YpRPEwOWvG6b32690r2jZ47s"
                    + "oMZo9wGzjb_7OMg0LOL-bSf63kpaSHSXndS5z5rexMdbBYUsLA9e-KXBdQOS-UTo7WTBEMa2"
                    + "R2CapHg665xsmtdVMTBQY4uDZlxvb3qCo5ZwKh9kG4LT6_I5IhlJH7aGhyxXFvUK-DWNmoud"
                    + "F8NAco9_h9iaGNj8q2ethFkMLs91kzk2PAcDTW9gb54h4FRWyuXpoQ"),
            exponent: bytes("AQAB")))
    private static let rs256 =
        "eyJhbGciOiJSUzI1NiJ9.\(claims)."
        + "cC4hiUPoj9Eetdgtv3hF80EGrhuB__dzERat0XF9g2VtQgr9PJbu3XOiZj5RZmh7AAuHIm4B"
        + "h-0Qc_lF5YKt_O8W2Fp5jujGbds9uJdbF9CUAr7t1dnZcAcQjbKBYNX4BAynRFdiuB--f_nZ"
        + "LgrnbyTyWzO75vRK5h6xBArLIARNPvkSjtQBMHlb1L07Qe7K0GarZRmB_eSN9383LcOLn6_d"
        + "O--xi12jzDwusC-eOkHWEsqtFZESc6BfI7noOPqvhJ1phCnvWh6IeYI2w9QOYEUipUTI8np6"
        + "LbgGY9Fs98rqVt5AXLIhWkWywlVmtVrBp0igcN_IoypGlUPQGe77Rw"

    /// RFC 8037 A.4.
    private static let ed25519 = JWT.Key(
        id: nil, material: .ed25519(bytes("11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo")))
    private static let edDSA =
        "eyJhbGciOiJFZERTQSJ9.RXhhbXBsZSBvZiBFZDI1NTE5IHNpZ25pbmc."
        + "hgyY0il_MGCjP0JzlnLWG1PPOt7-09PGcvMg3AIbQR6dWbhijcNR4ki4iylGjg5BhVsPt9g7sVvpAr_MuM0KAg"

    @Test func theExamplesOfTheStandardsAreGood() throws {
        #expect(try payload(Self.hs256, Self.secret) == Self.text)
        #expect(try payload(Self.rs256, Self.rsa) == Self.text)
        #expect(try payload(Self.edDSA, Self.ed25519) == "Example of Ed25519 signing")
    }

    /// Any bit of what is signed, and of the signature.
    @Test func whatWasChangedAnywhereIsNotGood() throws {
        let pairs = [
            (Self.hs256, Self.secret), (Self.rs256, Self.rsa), (Self.edDSA, Self.ed25519),
        ]
        for (token, key) in pairs {
            let text = Array(token.utf8)
            for index in text.indices where text[index] != UInt8(ascii: ".") {
                var other = text
                other[index] =
                    text[index] == UInt8(ascii: "A") ? UInt8(ascii: "B") : UInt8(ascii: "A")
                let changed = String(decoding: other, as: UTF8.self)
                #expect(throws: JWTFault.self) { try payload(changed, key) }
            }
            for length in [0, 1, token.utf8.count / 2, token.utf8.count - 1] {
                #expect(throws: JWTFault.self) { try payload(String(token.prefix(length)), key) }
            }
        }
    }

    // MARK: Ways in that others left open

    private static let key = [UInt8]("0123456789abcdef0123456789abcdef".utf8)
    private static let own = JWT.Key(id: "h", material: .secret(key))

    private static func encoded(_ text: some Sequence<UInt8>) -> String {
        let alphabet = Array(
            "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
        var (held, bits) = (0, 0)
        var result: [UInt8] = []
        for byte in text {
            held = held << 8 | Int(byte)
            bits += 8
            while bits >= 6 {
                bits -= 6
                result.append(alphabet[held >> bits & 63])
            }
            held &= 255
        }
        if bits > 0 { result.append(alphabet[held << (6 - bits) & 63]) }
        return String(decoding: result, as: UTF8.self)
    }

    /// A token with this head and these claims, signed by `secret` whatever the head says.
    private static func token(
        _ head: String, _ claims: String, secret: [UInt8] = key
    ) -> String {
        let message = "\(encoded(head.utf8)).\(encoded(claims.utf8))"
        return "\(message).\(encoded(Signature.hmac(Array(message.utf8), secret: secret)))"
    }

    private static let goodHead = #"{"alg":"HS256","kid":"h"}"#
    private static let good = #"{"sub":"ann","aud":"rex","exp":2000}"#

    private func fault(_ token: String, _ keys: JWT.Key...) -> String? {
        do throws(JWTFault) {
            _ = try JWT.payload(of: token, keys: keys)
            return nil
        } catch {
            return error.description
        }
    }

    @Test(
        arguments: [
            (#"{"alg":"none"}"#, "algorithm"), (#"{"alg":"None","kid":"h"}"#, "algorithm"),
            (#"{"alg":"nOnE","kid":"h"}"#, "algorithm"), (#"{"kid":"h"}"#, "algorithm"),
            (#"{"alg":"hs256","kid":"h"}"#, "algorithm"),
            (#"{"alg":"HS512","kid":"h"}"#, "algorithm"),
            (#"{"alg":["HS256"],"kid":"h"}"#, "algorithm"),
            (#"{"alg":null,"kid":"h"}"#, "algorithm"),
            (#"{"alg":"","kid":"h"}"#, "algorithm"),
            (#"{"alg":"RS256","kid":"h"}"#, "not for RS256"),
            (#"{"alg":"EdDSA","kid":"h"}"#, "not for EdDSA"),
            (#"{"alg":"HS256","kid":"x"}"#, "key"),
            (#"{"alg":"HS256","kid":1}"#, "key"), (#"{"alg":"HS256","kid":""}"#, "key"),
            (#"{"alg":"HS256","kid":"../../dev/null"}"#, "key"),
            (#"{"alg":"HS256","kid":"h","crit":["exp"],"exp":1}"#, "extension"),
            (#"{"alg":"HS256","kid":"h","b64":false,"crit":["b64"]}"#, "extension"),
            (#"{"alg":"HS256","kid":"h","crit":[]}"#, "extension"),
            (#"{"alg":"HS256","kid":"h","typ":"JOSE"}"#, "no JWT"),
            (#"{"alg":"HS256","kid":"h","typ":1}"#, "no JWT"),
            (#"{"alg":"HS256","kid":"h","alg":"none"}"#, "malformed"),
            (#"{"alg":"none","kid":"h","alg":"HS256"}"#, "malformed"),
            (#"["HS256"]"#, "malformed"), ("", "malformed"), ("{", "malformed"),
            (#"{"alg":"HS256","kid":"h",}"#, "malformed"), ("\u{FEFF}" + goodHead, "malformed"),
            (#"{"alg":"HS256","kid":"h","x":"# + String(repeating: "[", count: 20), "malformed"),
        ])
    func aHeadThatIsNotOursIsRefused(head: String, words: String) {
        // Each is signed by the right key, so that only its head can be at fault.
        let text = fault(Self.token(head, Self.good), Self.own) ?? "none"
        #expect(text.contains(words), "\(text)")
    }

    @Test func aTokenWithoutASignatureIsRefused() throws {
        for head in [#"{"alg":"none"}"#, Self.goodHead] {
            let message = "\(Self.encoded(head.utf8)).\(Self.encoded(Self.good.utf8))"
            for token in ["\(message).", message, "\(message)..", "\(message).e30.x", ".."] {
                #expect(fault(token, Self.own) != nil, "\(token)")
            }
        }
    }

    /// A public key is no secret, in whatever form it is taken for one.
    @Test func aPublicKeyIsNoSecret() throws {
        guard case .rsa(let modulus, _) = Self.rsa.material,
            case .ed25519(let point) = Self.ed25519.material
        else {
            Issue.record("the keys are of other kinds")
            return
        }
        for key in [Self.rsa, Self.ed25519] {
            for secret in [modulus, point, []] {
                let token = Self.token(#"{"alg":"HS256"}"#, Self.good, secret: secret)
                #expect(fault(token, key)?.contains("not for HS256") == true)
            }
        }
    }

    /// A head brings no key along.
    @Test func aKeyInTheHeadIsNotLookedAt() throws {
        let other = [UInt8](repeating: 7, count: 32)
        let jwk = #"{"kty":"oct","k":"\#(Self.encoded(other))"}"#
        let heads = [
            #"{"alg":"HS256","kid":"h","jwk":\#(jwk)}"#,
            #"{"alg":"HS256","kid":"h","jku":"http://127.0.0.1:1/keys"}"#,
            #"{"alg":"HS256","kid":"h","x5u":"http://127.0.0.1:1/keys"}"#,
        ]
        for head in heads {
            #expect(fault(Self.token(head, Self.good, secret: other), Self.own) != nil)
            #expect(fault(Self.token(head, Self.good), Self.own) == nil)
        }
    }

    @Test func withoutAKidOneKeyIsMeantAndOfSeveralNone() throws {
        let token = Self.token(#"{"alg":"HS256"}"#, Self.good)
        let key = JWT.Key(id: nil, material: .secret(Self.key))
        #expect(fault(token, key) == nil && fault(token, Self.own) == nil)
        let second = JWT.Key(id: "i", material: .secret([UInt8](repeating: 1, count: 32)))
        #expect(fault(token, Self.own, second)?.contains("key") == true)
        #expect(fault(Self.token(Self.goodHead, Self.good), second, Self.own) == nil)
        // The key that is named, and no other that would fit.
        let named = Self.token(#"{"alg":"HS256","kid":"i"}"#, Self.good)
        #expect(fault(named, second, Self.own)?.contains("signature") == true)
    }

    @Test func aTokenOfAnySizeIsReadInBoundedTime() throws {
        let long = Self.token(Self.goodHead, String(repeating: " ", count: 7_000))
        #expect(fault(long, Self.own)?.contains("8192 bytes") == true)
        #expect(fault(String(repeating: ".", count: 8_192), Self.own) != nil)
        #expect(!JWT.isOne("a.b") && JWT.isOne("a.b.c") && !JWT.isOne("a.b.c.d"))
    }

    @Test(
        arguments: [
            ("", []), ("AA", [0]), ("AAA", [0, 0]), ("AAAA", [0, 0, 0]), ("_-8", [255, 239]),
            ("A", nil), ("AAAAA", nil), ("AA==", nil), ("AA=", nil), ("AB", nil), ("AAB", nil),
            ("A A", nil), ("AA\n", nil), ("A+", nil), ("A/", nil), ("\u{E9}A", nil),
        ] as [(String, [UInt8]?)])
    func oneTextForEachSequenceOfBytes(text: String, bytes: [UInt8]?) {
        #expect(Base64URL.bytes(text.utf8) == bytes)
    }

    // MARK: What it says

    /// Whoever signs tokens makes nobody a user of the file.
    @Test(arguments: [("ann", false), ("cid", true), ("a\u{301}nn", true)])
    func noTokenNamesAUserOfTheFile(user: String, isGood: Bool) throws {
        let number = TokenFile.User(
            name: "ann", digests: [], certificate: nil, number: 1, permissions: .everything)
        let file = TokenFile(users: [number], anonymous: nil, jwt: issuer())
        let token = Self.token(
            Self.goodHead, "{\"sub\":\"\(user)\",\"aud\":\"rex\",\"exp\":2000}")
        let found = Result { () throws(JWTFault) in try file.principal(token: token, at: Self.now) }
        #expect(((try? found.get()) != nil) == isGood, "\(found)")
    }

    private static let now = Date(timeIntervalSince1970: 1_000)

    private func issuer(issuer: String? = nil, hasUsual: Bool = true) -> JWTIssuer {
        JWTIssuer(
            keys: [Self.own], audience: "rex", issuer: issuer,
            usual: hasUsual ? Permissions.none : nil, roles: ["owner": .everything])
    }

    private func principal(
        _ claims: String, _ issuer: JWTIssuer, at now: Date = now
    ) -> Result<Principal, JWTFault> {
        Result { () throws(JWTFault) in
            try issuer.principal(token: Self.token(Self.goodHead, claims), at: now)
        }
    }

    @Test(
        arguments: [
            (#"{"sub":"ann","aud":"rex","exp":1001}"#, nil),
            (#"{"sub":"ann","aud":"rex","exp":1000.5}"#, nil),
            (#"{"sub":"ann","aud":["x","rex"],"exp":1e300}"#, nil),
            (#"{"sub":"ann","aud":"rex","exp":2000,"nbf":1005,"iat":9000}"#, nil),
            (#"{"sub":"ann","aud":"rex","exp":1000}"#, "expired"),
            (#"{"sub":"ann","aud":"rex","exp":-1}"#, "expired"),
            (#"{"sub":"ann","aud":"rex"}"#, "no exp"),
            (#"{"sub":"ann","aud":"rex","exp":"2000"}"#, "exp is no number"),
            (#"{"sub":"ann","aud":"rex","exp":null}"#, "exp is no number"),
            (#"{"sub":"ann","aud":"rex","exp":2000,"nbf":1006}"#, "not good yet"),
            (#"{"sub":"ann","aud":"rex","exp":2000,"nbf":"0"}"#, "nbf is no number"),
            (#"{"sub":"ann","exp":2000}"#, "another audience"),
            (#"{"sub":"ann","aud":"Rex","exp":2000}"#, "another audience"),
            (#"{"sub":"ann","aud":["rexx"],"exp":2000}"#, "another audience"),
            (#"{"sub":"ann","aud":["rex",1],"exp":2000}"#, "aud is no string"),
            (#"{"sub":"ann","aud":{"rex":1},"exp":2000}"#, "aud is no string"),
            (#"{"aud":"rex","exp":2000}"#, "sub"), (#"{"sub":"","aud":"rex","exp":2000}"#, "sub"),
            (#"{"sub":7,"aud":"rex","exp":2000}"#, "sub"),
            (#"{"sub":"a\u0000b","aud":"rex","exp":2000}"#, "sub"),
            (#"{"sub":"ann","aud":"rex","exp":2000,"role":"king"}"#, "role"),
            (#"{"sub":"ann","aud":"rex","exp":2000,"role":["owner"]}"#, "role is no string"),
            (#"{"sub":"ann","sub":"bob","aud":"rex","exp":2000}"#, "malformed"),
            ("[]", "malformed"), ("", "malformed"), (#"{"exp":2000}}"#, "malformed"),
        ])
    func claimsAreLookedAt(claims: String, words: String?) {
        switch principal(claims, issuer()) {
        case .success(let principal): #expect(words == nil && principal.user == "ann")
        case .failure(let fault):
            #expect(words.map { fault.description.contains($0) } == true, "\(fault)")
        }
    }

    @Test func anIssuerIsWantedWhereItIsNamed() throws {
        let issuer = issuer(issuer: "https://id.example")
        func fits(_ more: String) -> Bool {
            let claims = #"{"sub":"ann","aud":"rex","exp":2000\#(more)}"#
            return (try? principal(claims, issuer).get()) != nil
        }
        #expect(fits(#","iss":"https://id.example""#))
        #expect(!fits("") && !fits(#","iss":"https://id.example/""#))
    }

    @Test func aRoleIsTheClaimsOrTheUsualOne() throws {
        let owner = #"{"sub":"ann","aud":"rex","exp":2000,"role":"owner"}"#
        #expect(try principal(owner, issuer()).get().permissions == .everything)
        #expect(try principal(Self.good, issuer()).get().permissions == .none)
        #expect(throws: JWTFault.self) {
            try principal(Self.good, issuer(hasUsual: false)).get()
        }
    }

    /// When the file is read again: the key, the role, the audience and the time.
    @Test func whatItSaidIsLookedAtAgain() throws {
        let first = try principal(Self.good, issuer()).get()
        guard case .jwt(let claims) = first.proof else {
            Issue.record("\(first.proof)")
            return
        }
        #expect(first.expiry == Date(timeIntervalSince1970: 2_000))
        #expect(try issuer().principal(of: claims, at: Self.now).user == "ann")
        #expect(throws: JWTFault.self) {
            try issuer().principal(of: claims, at: Date(timeIntervalSince1970: 2_000))
        }
        let others = [
            JWTIssuer(
                keys: [.init(id: "h", material: .secret([UInt8](repeating: 1, count: 32)))],
                audience: "rex", issuer: nil, usual: Permissions.none, roles: [:]),
            JWTIssuer(
                keys: [Self.own], audience: "other", issuer: nil, usual: Permissions.none,
                roles: [:]),
            JWTIssuer(
                keys: [Self.own], audience: "rex", issuer: "x", usual: Permissions.none,
                roles: [:]),
            JWTIssuer(keys: [Self.own], audience: "rex", issuer: nil, usual: nil, roles: [:]),
        ]
        for other in others {
            #expect(throws: JWTFault.self) { try other.principal(of: claims, at: Self.now) }
        }
    }

    // MARK: In a token file

    /// Made by the `openssl` program.
    private static let rsaToken =
        "eyJhbGciOiJSUzI1NiIsImtpZCI6InIifQ."
        + "eyJzdWIiOiJhbm4iLCJhdWQiOiJyZXgiLCJleHAiOjQxMDI0NDQ4MDAsInJvbGUiOiJvd25lciJ9."
        + "XKXGYe5B_x7OZrr6LSDQsN711YWzVXNDto-EEB0CMEOzQE6Xhu1zuJXT3az2rp-WpM5Ug1sd"
        + "7Ahzcsd1rl0lD0D2XElnslXjXmaKy8ELYr4J-CQY4JcbJG_oSOfMdQsmHcmDkRoKY3Z7MsCH"
        + "aLQ35ANwkWG2tfRrpcMcmjzBhtgBXBMjMQzUFE1-CdKHGWNrQtFJ1zG0I9XhyAdi4BEIiIlo"
        + "ZebSlO6oUe_dEe7X22ah6GxmJqbu-_MT5x8F-a5rX6T6OFOO9D_WDFY85L1-uX98e7gB2q8s"
        + "eTWfxoW2FNS4RFMy2Oi_9Y69TEs1_2Dp1y6RsXQJ0OW-7HS5J1HxDA"
    private static let rsaModulus =
        "sA_BsCItCvZcM7up603oHZ5bfBNoGAxNCKGk1u9YEimtLqRYhBljOxemS0MTIaBa4_FcyY0m"
        + "TspGI5PNHc03fVIMa-3wE2VXMx4C6ftf-b8JL8Od9AC4-XUiP2OkwWwbFw7KL4eiNMDjqTlM"
        + "-zpGnAVAi82Yh3u7R3VVmJXZ-nWL7TxQj_zJhEZdbn3vtw2r9h0LCjhQwlcHoixdzBOkorAQ"
        + "10MX9CEhjgETEbxQShIIg8C0IcxBjF3SatlZaUeT1SNGCgqq3vaWVxv9WpAyhmFE6LaxUWQm"
        + "bDo2Q-2iSFCidGBMeJ12Ym3n9HCO3byNFJoTRNWhlJYQCnkJUUHWDw"
    private static let edToken =
        "eyJhbGciOiJFZERTQSIsImtpZCI6ImUifQ."
        + "eyJzdWIiOiJhbm4iLCJhdWQiOiJyZXgiLCJleHAiOjQxMDI0NDQ4MDAsInJvbGUiOiJvd25lciJ9."
        + "K9HA6nnpeX9qN3GmZy9iogBglNhQXd-S7tAEDzQGAsbdVp5KNPa57cL3b0OT8SSi38af6AcKqGUATlVGD1FXCw"
    private static let edPoint = "Xgzv-S2jvjUdkxNkJXhq5h1ehMb2CX9JtDDD2zeE8pM"

    private func file(_ keys: String, _ more: String = "") throws -> TokenFile {
        let text =
            #"{"users":[],"roles":{"owner":{"admin":true}},"jwt":{"audience":"rex","#
            + #""roles":"owner"\#(more),"keys":[\#(keys)]}}"#
        return try TokenFile(parsing: Array(text.utf8))
    }

    private static var jwks: String {
        #"{"kty":"RSA","alg":"RS256","kid":"r","use":"sig","e":"AQAB","n":"\#(rsaModulus)"},"#
            + #"{"kty":"OKP","crv":"Ed25519","alg":"EdDSA","kid":"e","x":"\#(edPoint)"},"#
            + #"{"kty":"oct","alg":"HS256","kid":"h","k":"\#(encoded(key))"}"#
    }

    @Test func aFileOfKeysBelievesThemAll() throws {
        let file = try file(Self.jwks)
        let hs = Self.token(
            Self.goodHead, #"{"sub":"ann","aud":"rex","exp":4102444800,"role":"owner"}"#)
        for token in [Self.rsaToken, Self.edToken, hs] {
            let principal = try file.principal(token: token)
            #expect(principal?.user == "ann" && principal?.permissions.isAdmin == true)
            let proof = try #require(principal).proof
            #expect(file.principal(of: proof)?.user == "ann")
            let without = try TokenFile(parsing: Array(#"{"users":[]}"#.utf8))
            #expect(without.principal(of: proof) == nil)
            #expect(try without.principal(token: token) == nil)
        }
    }

    @Test(
        arguments: [
            (#""#, "jwt.keys: expected a key"), ("1", "jwt.keys[0]: expected an object"),
            (#"{"kty":"oct","k":"\#(encoded(key))"}"#, "jwt.keys[0]: expected an alg"),
            (#"{"kty":"oct","alg":"none","k":""}"#, "jwt.keys[0]: expected an alg"),
            (#"{"kty":"RSA","alg":"HS256","k":"\#(encoded(key))"}"#, "expected an alg"),
            (
                #"{"kty":"oct","alg":"HS256","k":"c2hvcnQ"}"#,
                "jwt.keys[0].k: expected 32 to 1024 bytes"
            ),
            (#"{"kty":"oct","alg":"HS256","k":"\#(encoded(key))="}"#, "jwt.keys[0].k: expected"),
            (#"{"kty":"RSA","alg":"RS256","n":"\#(encoded(key))","e":"AQAB"}"#, "jwt.keys[0].n: "),
            (
                #"{"kty":"OKP","crv":"Ed25519","alg":"EdDSA","x":"AA"}"#,
                "jwt.keys[0].x: expected 32 bytes"
            ),
            (#"{"kty":"OKP","crv":"X25519","alg":"EdDSA","x":"AA"}"#, "expected an alg"),
            (#"{"kty":"OKP","crv":"Ed25519","alg":"EdDSA","x":"AA","d":"AA"}"#, "private key"),
            (jwks + "," + jwks, "jwt.keys[3]: its kid stands there twice"),
            (#"{"kty":"oct","alg":"HS256","k":"\#(encoded(key))"},"# + jwks, "a kid each"),
        ])
    func aFaultInTheKeysIsNamed(keys: String, words: String) throws {
        let error = #expect(throws: ConfigurationError.self) { try file(keys) }
        let text = error.map { "\($0)" } ?? "none"
        #expect(text.contains(words), "\(text)")
        #expect(!text.contains(Self.encoded(Self.key)))
    }

    /// Whoever signs tokens gives the roles that the file says, and no others.
    @Test func onlyRolesThatMayBeClaimedAre() throws {
        for roles in [#""usual""#, "[]"] {
            let text =
                #"{"users":[],"roles":{"owner":{"admin":true},"usual":{}},"jwt":{"audience":"rex","#
                + #""role":"usual","roles":\#(roles),"keys":[\#(Self.jwks)]}}"#
            let file = try TokenFile(parsing: Array(text.utf8))
            #expect(throws: JWTFault.self) { try file.principal(token: Self.edToken) }
            let plain = Self.token(Self.goodHead, #"{"sub":"ann","aud":"rex","exp":4102444800}"#)
            #expect(try file.principal(token: plain)?.permissions.isAdmin == false)
        }
    }

    @Test func whoTheTokensAreForHasToBeSaid() throws {
        let text = #"{"users":[],"jwt":{"keys":[\#(Self.jwks)]}}"#
        let error = #expect(throws: ConfigurationError.self) {
            try TokenFile(parsing: Array(text.utf8))
        }
        #expect(error.map { "\($0)".contains("audience") } == true)
    }
}
