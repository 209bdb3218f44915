import Testing

@Suite struct ContractRuleTests {
    private func missing(_ source: String, contract: String?) -> [Int] {
        var files = [Snippet("Sources/RexProtocol/A.swift", source).file]
        if let contract { files.append(SourceFile(path: "protocol.md", text: contract)) }
        return ContractRule.findings(in: Tree(files: files)).map(\.line)
    }

    private static let codes = """
        public enum ErrorCode: String {
            case badJSON = "bad_json", conflict
            case tooLarge =
                "too_large"
            var closes: Bool {
                switch self { case .other: true }
            }
        }
        """

    @Test func codesStandInTheContract() {
        #expect(missing(Self.codes, contract: "`bad_json` `conflict` `too_large`") == [])
        #expect(missing(Self.codes, contract: "`bad_json_text` `too_large`") == [2, 2])
        #expect(missing(Self.codes, contract: "`bad_json` and `conflict`") == [3])
    }

    @Test func reasonsStandInTheContract() {
        let cases = "enum CloseReason {\n case tooSlow(Int)\n case shuttingDown\n}"
        #expect(missing(cases, contract: "too_slow, shutting_down") == [])
        #expect(missing(cases, contract: "shutting_down") == [2])
        let constants =
            "struct CloseReason {\n static let slow = Self(\"too_slow\")\n var a = \"\"\n}"
        #expect(missing(constants, contract: "too_slow") == [])
        #expect(missing(constants, contract: "") == [2])
    }

    @Test func limitsStandInTheContract() {
        let limits = """
            public struct Limits {
                public var frameBytes = 1 << 20
                public var keyTTL: Duration = .seconds(86_400)
                var subscriptionLimit: Int
                public static let standard = Limits()
                var sum: Int {
                    let twice = 2
                    return twice
                }
                init(a: Int) { let b = a }
            }
            """
        #expect(missing(limits, contract: "frame_bytes key_ttl_ms subscription_limit") == [])
        #expect(missing(limits, contract: "\"frame_bytes\":1, \"subscription\":2") == [3])
        #expect(missing(limits, contract: "") == [2, 3, 4])
    }

    @Test func limitsStandUnderTheNameThatATableGivesThem() {
        let limits = """
            struct Limits {
                var keyMilliseconds = 1
                var depth = 128
                static let all: [(String, WritableKeyPath<Limits, Int>)] = [
                    ("key_ttl_ms", \\.keyMilliseconds)
                ]
            }
            """
        #expect(missing(limits, contract: "key_ttl_ms depth") == [])
        #expect(missing(limits, contract: "key_milliseconds depth") == [2])
    }

    @Test func itBeginsWhenTypeAndContractAreThere() {
        #expect(missing(Self.codes, contract: nil) == [])
        #expect(missing("enum Other { case a }", contract: "") == [])
    }

    @Test(arguments: [
        ("badJSON", "bad_json"), ("keyTTLLimit", "key_ttl_limit"), ("a", "a"),
        ("URLText", "url_text"),
        ("http2Frames", "http2_frames"),
    ])
    func camelCaseBecomesSnakeCase(_ name: String, _ snake: String) {
        #expect(ContractRule.snakeCase(name) == snake)
    }
}
