/// One request of HTTP/1.1 (RFC 9112).
struct HTTPRequest {
    var method = ""
    /// The path, percent-decoded, in its segments; `/` has none.
    var segments: [String] = []
    /// The query, decoded as forms are: `+` is a space.
    var query: [String: String] = [:]
    /// Names in lower case. A header that came twice is one with a comma between.
    var headers: [String: String] = [:]
    var body: [UInt8] = []
    var keepsAlive = true
    /// HTTP/1.0: it must be told that the connection stays.
    var isOld = false
    /// It asks whether the server lives, and nothing of any store.
    var isProbe: Bool { segments == ["livez"] || segments == ["readyz"] }

    /// True where the header's comma-separated list holds the token, whatever its case.
    func lists(_ token: String, in header: String) -> Bool {
        (headers[header] ?? "").split(separator: ",").contains {
            $0.trimmingBlanks().lowercased() == token
        }
    }

    /// True where the subprotocol is offered, in exactly these letters (RFC 6455 §4.2.2).
    func offers(protocol name: String) -> Bool {
        (headers["sec-websocket-protocol"] ?? "").split(separator: ",").contains {
            $0.trimmingBlanks() == name
        }
    }

    /// True where `If-None-Match` names the tag: the client has it already (RFC 9110 §13.1.2).
    func knows(_ tag: String) -> Bool {
        (headers["if-none-match"] ?? "").split(separator: ",").contains {
            let text = $0.trimmingBlanks()
            return text == "*" || text == tag || text == "W/" + tag
        }
    }

    /// Reads the request line's target. False where it is malformed.
    mutating func read(target: [UInt8]) -> Bool {
        var target = target[...]
        if let authority = Self.takeAuthority(&target) {
            // A target that names its host outdoes the header (RFC 9112 §3.2.2).
            headers["host"] = authority
        }
        guard target.first == UInt8(ascii: "/") else { return false }
        let parts = target.split(
            separator: UInt8(ascii: "?"), maxSplits: 1, omittingEmptySubsequences: false)
        for part in parts[0].split(separator: UInt8(ascii: "/")) {
            guard let text = Self.decoded(part) else { return false }
            segments.append(text)
        }
        guard parts.count == 2 else { return true }
        for pair in parts[1].split(separator: UInt8(ascii: "&")) {
            let sides = pair.split(
                separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            guard let name = Self.decoded(sides[0], plusIsSpace: true),
                let value = sides.count == 2 ? Self.decoded(sides[1], plusIsSpace: true) : ""
            else { return false }
            query[name] = value
        }
        return true
    }

    /// Takes `http://host:port` off the front of a target.
    private static func takeAuthority(_ target: inout ArraySlice<UInt8>) -> String? {
        guard target.starts(with: Array("http://".utf8)) else { return nil }
        let rest = target.dropFirst("http://".utf8.count)
        let end = rest.firstIndex { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "?") }
        target = rest[(end ?? rest.endIndex)...]
        if target.first != UInt8(ascii: "/") { target = [UInt8(ascii: "/")] + target }
        return String(decoding: rest[..<(end ?? rest.endIndex)], as: UTF8.self)
    }

    /// Percent-decoding (RFC 3986); nil where it is malformed, not UTF-8, or holds a control
    /// character.
    private static func decoded(
        _ text: ArraySlice<UInt8>, plusIsSpace: Bool = false
    ) -> String? {
        var bytes: [UInt8] = []
        var rest = text
        while var byte = rest.popFirst() {
            if byte == UInt8(ascii: "%") {
                guard rest.count >= 2, let high = hex(rest.removeFirst()),
                    let low = hex(rest.removeFirst())
                else { return nil }
                byte = high << 4 | low
                guard byte >= 0x20, byte != 0x7F else { return nil }
            } else if plusIsSpace, byte == UInt8(ascii: "+") {
                byte = UInt8(ascii: " ")
            }
            bytes.append(byte)
        }
        return String(validating: bytes, as: UTF8.self)
    }

    private static func hex(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}

extension Substring {
    func trimmingBlanks() -> Substring {
        var text = self
        while text.first == " " || text.first == "\t" { text.removeFirst() }
        while text.last == " " || text.last == "\t" { text.removeLast() }
        return text
    }
}
