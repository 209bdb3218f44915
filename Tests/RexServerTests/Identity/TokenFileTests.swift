import Rex
import RexProtocol
import Testing

@testable import RexServer

/// The file that says who may come in.
@Suite struct TokenFileTests {
    /// `ANN` and `BOB` stand for the digests of their tokens.
    private func read(_ text: String) throws -> TokenFile {
        let text = text.replacing("ANN", with: Self.digest("ann-token"))
            .replacing("BOB", with: Self.digest("bob-token"))
        return try TokenFile(parsing: Array(text.utf8))
    }

    private static func digest(_ text: String) -> String {
        Digest.hexadecimal(Digest.sha256(Array(text.utf8)))
    }

    @Test func whoHasTheTokenIsTheUser() throws {
        let file = try read(
            #"{"users":[{"name":"ann","sha256":["BOB","ANN"],"may":{}},"#
                + #"{"name":"cid","certificate":"cid.example","may":{"admin":true}},"#
                + #"{"name":"dan","uid":1000,"may":{}}]}"#)
        #expect(try file.principal(token: "ann-token")?.user == "ann")
        #expect(try file.principal(token: "bob-token")?.user == "ann")
        for wrong in ["", "ann-toke", "ann-token ", "ANN-TOKEN", Self.digest("ann-token")] {
            #expect(try file.principal(token: wrong) == nil)
        }
        #expect(file.principal(certificate: "cid.example")?.user == "cid")
        #expect(file.principal(certificate: "cid.exampl")?.user == nil)
        #expect(file.principal(certificate: "cid.example")?.permissions.isAdmin == true)
        #expect(file.principal(number: 1_000)?.user == "dan")
        #expect(file.principal(number: 0) == nil && file.stranger == nil)
    }

    @Test func aProofIsLookedAtAgainInTheNextFile() throws {
        let old = try read(#"{"users":[{"name":"ann","sha256":"ANN","may":{}}]}"#)
        let proof = try #require(try old.principal(token: "ann-token")).proof
        let new = try read(#"{"users":[{"name":"ann","sha256":"ANN","may":{"admin":true}}]}"#)
        #expect(new.principal(of: proof)?.permissions.isAdmin == true)
        let without = try read(#"{"users":[],"anonymous":{}}"#)
        #expect(without.principal(of: proof) == nil)
        #expect(without.principal(of: .none)?.user == nil && without.stranger != nil)
    }

    /// Names that only look alike are two.
    @Test func namesAreTheirBytes() throws {
        let (long, short) = ("cafe\u{301}", "caf\u{E9}")
        let file = try read(
            "{\"roles\":{\"\(long)\":{},\"\(short)\":{\"admin\":true}},\"users\":["
                + "{\"name\":\"ann\",\"uid\":1,\"role\":\"\(long)\"},"
                + "{\"name\":\"bob\",\"uid\":2,\"role\":\"\(short)\"}]}")
        #expect(file.principal(number: 1)?.permissions == Permissions.none)
        #expect(file.principal(number: 2)?.permissions != Permissions.none)
    }

    /// With such a key anybody can sign.
    @Test(arguments: [
        "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
        "AQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
        "7P_______________________________________38",
        "JuiVj8KyJ7BFw_SJ8u-Y8NXfrAXTxjM5sTgCiG1T_IU",
    ])
    func aKeyThatProvesNothingIsRefused(point: String) {
        let key = #""alg":"EdDSA","kty":"OKP","crv":"Ed25519","x":"\#(point)""#
        let error = #expect(throws: ConfigurationError.self) {
            try read("{\"users\":[],\"jwt\":{\"audience\":\"rex\",\"keys\":[{\(key)}]}}")
        }
        #expect(
            error?.description.contains("anybody can sign") == true, "\(error?.description ?? "")")
    }

    @Test func aShortKeyOfRSAIsRefusedHoweverLongItIsWritten() {
        func isStrong(_ zeros: Int, _ digits: Int, _ exponent: [UInt8]) -> Bool {
            Signature.isStrong(
                modulus: Array(repeating: 0, count: zeros) + Array(repeating: 0xFF, count: digits),
                exponent: exponent)
        }
        #expect(isStrong(0, 256, [1, 0, 1]) && isStrong(1, 256, [3]))
        #expect(!isStrong(192, 64, [1, 0, 1]) && !isStrong(1, 255, [1, 0, 1]))
        for exponent: [UInt8] in [[1], [0, 1], [2], [0], [1, 0]] {
            #expect(!isStrong(0, 256, exponent), "\(exponent)")
        }
    }

    @Test func rolesAreRulesWithAName() throws {
        let file = try read(
            #"{"roles":{"guest":{"metrics":true,"publish":"news.>"}},"anonymous":"guest","#
                + #""users":[{"name":"ann","sha256":"ANN","role":"guest"}]}"#)
        for permissions in [file.stranger?.permissions, file.users[0].permissions] {
            #expect(permissions?.readsMetrics == true && permissions?.isAdmin == false)
            #expect(permissions?.publish.allows(try Topic("news.a")) == true)
            #expect(permissions?.listen.allows(try Topic("news.a")) == false)
        }
    }

    @Test(
        arguments: [
            ("[]", "line 1: expected an object"), ("{", "line 1: "),
            ("{}", "line 1: users: expected users"),
            ("{\"users\":{}}", "line 1: users: expected a list"),
            (
                "{\n\"users\":[],\n\"user\":[]}",
                "line 3: user: there is no such member; there are anonymous, jwt, roles, users"
            ),
            (
                "{\"users\":[\n{\"name\":\"ann\",\"may\":{}}]}",
                "line 2: users[0]: expected a sha256"
            ),
            ("{\"users\":[{\"sha256\":\"ANN\",\"may\":{}}]}", "users[0]: expected a name"),
            ("{\"users\":[{\"name\":\"a\\nb\",\"uid\":1,\"may\":{}}]}", "users[0].name: expected"),
            ("{\"users\":[{\"name\":\"\",\"uid\":1,\"may\":{}}]}", "users[0].name: expected"),
            (
                "{\"users\":[{\"name\":\"ann\",\"sha256\":\"ann-token\",\"may\":{}}]}",
                "users[0].sha256: expected 64 hexadecimal digits"
            ),
            (
                "{\"users\":[{\"name\":\"ann\",\"token\":\"x\",\"may\":{}}]}",
                "users[0].token: there is"
            ),
            ("{\"users\":[{\"name\":\"a\",\"uid\":-1,\"may\":{}}]}", "users[0].uid: expected"),
            ("{\"users\":[{\"name\":\"a\",\"uid\":1}]}", "users[0]: expected either a role or"),
            (
                #"{"roles":{"x":{}},"users":[{"name":"a","uid":1,"role":"x","may":{}}]}"#,
                "users[0]: expected either a role or"
            ),
            ("{\"users\":[{\"name\":\"a\",\"uid\":1,\"role\":\"x\"}]}", "there is no role x"),
            (
                #"{"users":[{"name":"a","uid":1,"may":{}},"# + "\n"
                    + #"{"name":"b","uid":1,"may":{}}]}"#,
                "line 2: users[1]: what they are known by stands there twice"
            ),
            (
                "{\"users\":[{\"name\":\"a\",\"sha256\":[\"ANN\",\"ANN\"],\"may\":{}}]}",
                "users[0]: what they are known by stands there twice"
            ),
            (
                "{\"users\":[],\"roles\":{\"r\":{\"stores\":{\"doc\":{\"read\":[\"a\"]}}}}}",
                "roles.r.stores.doc.read[0]: "
            ),
            (
                "{\"users\":[],\"roles\":{\"r\":{\"listen\":{\"allow\":[\"a..b\"]}}}}",
                "roles.r.listen.allow[0]: "
            ),
            (
                "{\"users\":[],\"roles\":{\"r\":{\"stores\":{\"doc\":{\"write\":[]}}}}}",
                "roles.r.stores.doc.write: there is no such member"
            ),
            (
                "{\"users\":[],\"roles\":{\"r\":{\"admin\":1}}}",
                "roles.r.admin: expected true or false"
            ),
            ("{\"users\":[],\"users\":[]}", "line 1: /users: member name"),
        ])
    func aFaultIsNamedWithItsPlace(text: String, words: String) throws {
        let error = #expect(throws: ConfigurationError.self) { try read(text) }
        let text = error.map { "\($0)" } ?? "none"
        #expect(text.contains(words), "\(text)")
    }

    /// A mistake in the file must not put what is secret into the log.
    @Test func aFaultSaysNothingOfTokens() throws {
        let error = #expect(throws: ConfigurationError.self) {
            try read(#"{"users":[{"name":"ann","sha256":"my-own-token","may":{}}]}"#)
        }
        #expect(error.map { !"\($0)".contains("my-own-token") } == true)
    }

    @Test func whatIsInNoRuleIsNotAllowed() throws {
        let file = try read(#"{"users":[{"name":"ann","sha256":"ANN","may":{}}]}"#)
        let none = try #require(try file.principal(token: "ann-token")).permissions
        #expect(none == Permissions.none && none != Permissions.everything)
        #expect(throws: WireError.self) { try none.checkClients() }
        #expect(throws: WireError.self) { try none.checkPublishing(on: Topic("a")) }
        #expect(throws: WireError.self) { try none.checkListening(to: ">") }
        #expect(!none.readsMetrics)
    }

    @Test func moreUsersThanThereMayBeAreRefused() throws {
        let users = (0...TokenFile.usersLimit).map { #"{"name":"u","uid":\#($0),"may":{}}"# }
        let text = #"{"users":[\#(users.joined(separator: ","))]}"#
        let error = #expect(throws: ConfigurationError.self) { try read(text) }
        #expect(error.map { "\($0)".contains("there may be 10000 of them") } == true)
    }
}
