import RexProtocol

/// A room of the chat store as one of its members sees it: `/rooms/<room>` of protocol.md §9.
package struct ChatRoom: Equatable, Sendable {
    package struct Message: Equatable, Sendable {
        package let id: String
        package let from: String
        package let text: String
        /// RFC 3339.
        package let at: String
        package let isEdited: Bool
    }

    package let topic: String
    package let members: [String]
    package let typing: [String]
    package let messages: [Message]

    /// Reads the room's JSON; a room that is not there (yet) is an empty one.
    package init(_ value: JSONValue) {
        topic = value["topic"]?.string ?? ""
        members = value["members"]?.array?.compactMap(\.string) ?? []
        typing = value["typing"]?.array?.compactMap(\.string) ?? []
        messages =
            value["messages"]?.array?.compactMap { entry in
                guard let id = entry["id"]?.string, let from = entry["from"]?.string,
                    let text = entry["text"]?.string
                else { return nil }
                return Message(
                    id: id, from: from, text: text, at: entry["at"]?.string ?? "",
                    isEdited: entry["edited"]?.bool ?? false)
            } ?? []
    }
}
