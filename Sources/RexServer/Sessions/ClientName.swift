import Rex

/// How a server names its clients: `c1`, `c2` and so on.
enum ClientName {
    /// What a journal may say is no higher: behind it there is room for all that ever come.
    static let last = 1 << 53

    static func text(_ number: Int) -> String { "c\(number)" }

    /// The number in a name; 0 where a server gives no such name.
    static func number(_ text: String) -> Int {
        guard text.utf8.first == UInt8(ascii: "c"), let number = Int(text.dropFirst()),
            (1...last).contains(number)
        else { return 0 }
        return number
    }
}

extension StoredCommit {
    /// The number in the name of the client that it is of; 0 where it is of none.
    var clientNumber: Int {
        guard case .client(let client) = Origin(stored: origin) else { return 0 }
        return ClientName.number(client.id)
    }
}
