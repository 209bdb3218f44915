import Testing

@testable import RexWebSocket

/// What is said before the first frame, without a socket.
@Suite struct WebSocketHandshakeTests {
    /// The example of RFC 6455 §1.3.
    @Test func theAnswerIsTheOneOfTheStandard() {
        #expect(
            WebSocketHandshake.accept("dGhlIHNhbXBsZSBub25jZQ==") == "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=")
    }

    @Test func aKeyIsSixteenBytes() {
        #expect(WebSocketHandshake.isKey("dGhlIHNhbXBsZSBub25jZQ=="))
        let wrong = [
            "", "short", "dGhlIHNhbXBsZSBub25jZQ=", "dGhlIHNhbXBsZSBub25jZQ===",
            "dGhlIHNhbXBsZSBub25jZQAA", "!!!!IHNhbXBsZSBub25jZQ==",
        ]
        for text in wrong { #expect(!WebSocketHandshake.isKey(text), "\(text)") }
        let keys = Set((0..<100).map { _ in WebSocketHandshake.freshKey() })
        #expect(keys.count == 100 && keys.allSatisfy(WebSocketHandshake.isKey))
    }

    @Test(arguments: [
        ("permessage-deflate", "", true),
        ("Permessage-Deflate ; client_max_window_bits", "", true),
        ("x, permessage-deflate;server_no_context_takeover", "", true),
        ("permessage-deflate; server_max_window_bits=15", "; server_max_window_bits=15", true),
        ("permessage-deflate; server_max_window_bits=\"8\"", "; server_max_window_bits=8", false),
        ("permessage-deflate; server_max_window_bits=99, permessage-deflate", "", true),
    ])
    func anOfferIsTaken(offer: String, more: String, compresses: Bool) {
        let taken = WebSocketHandshake.compression(offered: offer)
        let both =
            "permessage-deflate; server_no_context_takeover; client_no_context_takeover"
        #expect(taken == .init(answer: both + more, compresses: compresses))
    }

    @Test(arguments: [
        "", ",", ";", "permessage-deflate; x", "permessage-deflate;",
        "permessage-deflate; server_max_window_bits=",
        "permessage-deflate; client_max_window_bits=0",
        "permessage-deflate; client_max_window_bits; client_max_window_bits=9",
        "permessage-deflate2",
    ])
    func anOfferIsNotTaken(offer: String) {
        let isPlain = offer == "permessage-deflate;"  // an empty parameter is none
        #expect((WebSocketHandshake.compression(offered: offer) != nil) == isPlain)
    }
}
