/// A line that is no good, the error that it gets, and the place that the error names.
struct WrongLine: CustomStringConvertible {
    let bytes: [UInt8]
    let code: String
    /// Nil where no one place is at fault, or none can be named.
    let place: String?

    var description: String { String(decoding: bytes.prefix(120), as: UTF8.self) }

    init(_ text: String, _ code: String, _ place: String? = nil) {
        bytes = Array(text.utf8)
        self.code = code
        self.place = place
    }

    /// Bytes that no text has, within the name of an op or before the frame.
    init(op: [UInt8], before: [UInt8] = []) {
        bytes = before + Array("{\"op\":\"".utf8) + op + Array("\"}".utf8)
        code = "bad_json"
        place = nil
    }

    static let all =
        texts + noTexts + [
            WrongLine("{\"a\":" + String(repeating: "[", count: 200_000), "bad_json"),
            WrongLine(String(repeating: " ", count: 100) + "[", "bad_json"),
            WrongLine("{\"a\":\"\u{0}\"}", "bad_json", "/a"),
        ]

    /// Not UTF-8: never a start, overlong, a surrogate, too high, cut off; and a byte order mark.
    private static let noTexts = [
        WrongLine(op: [0xff, 0xfe]), WrongLine(op: [0xc0, 0x80]),
        WrongLine(op: [0xed, 0xa0, 0x80]),
        WrongLine(op: [0xf4, 0x90, 0x80, 0x80]), WrongLine(op: [0xc3]),
        WrongLine(op: Array("ping".utf8), before: [0xef, 0xbb, 0xbf]),
    ]

    private static let texts: [WrongLine] = [
        .init("{", "bad_json"), .init("{\"op\":\"ping\",}", "bad_json"),
        .init("{'op':'ping'}", "bad_json"), .init("{\"op\":\"ping\"}}", "bad_json"),
        .init("[]", "bad_json"), .init("\"ping\"", "bad_json"),
        .init("{\"a\":01}", "bad_json", "/a"),
        .init("{\"a\":+1}", "bad_json", "/a"), .init("{\"a\":1.}", "bad_json", "/a"),
        .init("{\"a\":NaN}", "bad_json", "/a"), .init("{\"a\":1e400}", "bad_json", "/a"),
        .init("{\"a\":-1e400}", "bad_json", "/a"), .init("{\"a\":1e-400}", "bad_json", "/a"),
        .init("{\"a\":[1,18446744073709551616]}", "bad_json", "/a/1"),
        .init("{\"a\":-9223372036854775809}", "bad_json", "/a"),
        .init("{\"op\":\"ping\",\"op\":\"ping\"}", "bad_json", "/op"),
        .init("{\"a\":{\"b\":1,\"\\u0062\":2}}", "bad_json", "/a/b"),
        .init("{\"op\":\"\\ud800\"}", "bad_json", "/op"),
        .init("{\"op\":\"\\udc00x\"}", "bad_json", "/op"),
        .init("{\"op\":\"\\ud800\\ud800\"}", "bad_json", "/op"),
        .init("{\"a\":\"\t\"}", "bad_json", "/a"),
        .init("{\"a\":\"\\x\"}", "bad_json", "/a"), .init("{\"a\":tru}", "bad_json", "/a"),
        .init("{}", "bad_frame"), .init("{\"op\":1}", "bad_frame", "/op"),
        .init("{\"type\":1}", "bad_frame"), .init("{\"op\":\"get\",\"id\":{}}", "bad_frame", "/id"),
        .init("{\"op\":\"get\",\"id\":1.5}", "bad_frame", "/id"),
        .init("{\"op\":\"get\",\"store\":7}", "bad_frame", "/store"),
        .init("{\"op\":\"get\",\"path\":\"rooms\"}", "bad_frame", "/path"),
        .init("{\"op\":\"get\",\"path\":\"/a~2\"}", "bad_frame", "/path"),
        .init("{\"op\":\"get\",\"at\":-1}", "bad_frame", "/at"),
        .init("{\"op\":\"get\",\"at\":\"1\"}", "bad_frame", "/at"),
        .init("{\"op\":\"dispatch\"}", "bad_frame", "/action"),
        .init("{\"op\":\"dispatch\",\"action\":7}", "bad_frame", "/action"),
        .init("{\"op\":\"dispatch\",\"action\":{\"payload\":1}}", "bad_frame", "/action"),
        .init("{\"op\":\"subscribe\",\"mode\":\"all\"}", "bad_frame", "/mode"),
        .init("{\"op\":\"subscribe\",\"since\":{\"epoch\":1}}", "bad_frame", "/since/epoch"),
        .init("{\"op\":\"subscribe\",\"throttle_ms\":-1}", "bad_frame", "/throttle_ms"),
        .init("{\"op\":\"nonsense\"}", "unknown_op", "/op"),
        .init("{\"op\":\"get\",\"store\":\"x\"}", "unknown_store", "/store"),
        .init("{\"op\":\"subscribe\",\"view\":\"x\"}", "unknown_view", "/view"),
        .init("{\"op\":\"unsubscribe\",\"sub\":\"s01\"}", "not_found", "/sub"),
        .init("{\"op\":\"unlisten\",\"listen\":\"t0\"}", "not_found", "/listen"),
        .init("{\"op\":\"get\",\"at\":7}", "not_found", "/at"),
        .init("{\"type\":\"nonsense\"}", "bad_action", "/type"),
        .init(
            "{\"type\":\"add\",\"payload\":\"5\",\"store\":\"counter\"}", "bad_action", "/payload"),
        .init("{\"type\":\"add\",\"payload\":1.5,\"store\":\"counter\"}", "bad_action", "/payload"),
        .init(
            "{\"type\":\"add\",\"payload\":9223372036854775808,\"store\":\"counter\"}",
            "bad_action",
            "/payload"
        ),
        .init(
            "{\"op\":\"dispatch\",\"action\":{\"type\":\"join\",\"payload\":{\"room\":\"a\"}}}",
            "bad_action", "/action/payload/name"
        ),
        .init("{\"type\":\"connected\"}", "forbidden", "/type"),
        .init("{\"type\":\"undo\"}", "bad_action", "/type"),
        .init("{\"op\":\"listen\",\"topic\":\"a..b\"}", "bad_topic", "/topic"),
        .init("{\"op\":\"listen\",\"topic\":\"a.>.b\"}", "bad_topic", "/topic"),
        .init("{\"op\":\"publish\",\"topic\":\"a.*\",\"data\":1}", "bad_topic", "/topic"),
        .init("{\"op\":\"publish\",\"topic\":\"a b\",\"data\":1}", "bad_topic", "/topic"),
        .init("{\"op\":\"publish\",\"topic\":\"$server.x\",\"data\":1}", "forbidden", "/topic"),
        .init("{\"op\":\"publish\",\"topic\":\"chat.x\",\"data\":1}", "forbidden", "/topic"),
        .init("{\"op\":\"publish\",\"topic\":\"a\"}", "bad_frame", "/data"),
        .init("{\"op\":\"undo\"}", "rejected"),
    ]
}
