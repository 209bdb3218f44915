import RexProtocol

extension PollAction {
    static func readDirectly(_ node: JSONNode) -> PollAction? {
        guard node["type"]?.isEqual(to: "vote") == true else { return nil }
        return node["payload"]?.string.map { .vote($0) }
    }
}
