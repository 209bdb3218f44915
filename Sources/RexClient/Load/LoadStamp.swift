/// A time of the system's monotonic clock within a frame: `@` and nineteen digits, nanoseconds.
public enum LoadStamp {
    private static let mark = UInt8(ascii: "@")
    private static let digits = 19

    /// What stands in a request for the time at which it is sent.
    public static let placeholder = "@" + String(repeating: "0", count: digits)

    /// A request in which the first string `@now` has become the placeholder.
    public static func prepared(_ request: [UInt8]) -> [UInt8] {
        let name = Array(#""@now""#.utf8)
        guard let start = place(of: name, in: request) else { return request }
        var result = request
        result.replaceSubrange(start..<start + name.count, with: Array("\"\(placeholder)\"".utf8))
        return result
    }

    /// Where the placeholder begins in a request; nil where there is none.
    static func place(in request: [UInt8]) -> Int? {
        place(of: Array(placeholder.utf8), in: request)
    }

    private static func place(of wanted: [UInt8], in bytes: [UInt8]) -> Int? {
        guard bytes.count >= wanted.count else { return nil }
        return (0...bytes.count - wanted.count).first { start in
            bytes[start..<start + wanted.count].elementsEqual(wanted)
        }
    }

    /// Writes a time over the placeholder at `place`.
    static func write(_ nanoseconds: UInt64, at place: Int, in bytes: inout [UInt8]) {
        var rest = nanoseconds
        for index in (1...digits).reversed() {
            bytes[place + index] = UInt8(ascii: "0") + UInt8(rest % 10)
            rest /= 10
        }
    }

    /// Calls `body` with each time in what was received; one that is cut in two is passed over.
    static func each(in bytes: UnsafeRawBufferPointer, _ body: (UInt64) -> Void) {
        var start = 0
        while let place = bytes[start...].firstIndex(of: mark) {
            start = place + 1
            guard start + digits <= bytes.count,
                let time = number(bytes[start..<start + digits])
            else { continue }
            body(time)
            start += digits
        }
    }

    private static func number(_ bytes: Slice<UnsafeRawBufferPointer>) -> UInt64? {
        var result: UInt64 = 0
        for byte in bytes {
            guard byte >= UInt8(ascii: "0"), byte <= UInt8(ascii: "9") else { return nil }
            result = result * 10 + UInt64(byte - UInt8(ascii: "0"))
        }
        return result
    }
}
