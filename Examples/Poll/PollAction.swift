import Rex
import RexProtocol

enum PollAction: WireAction {
    case vote(String)
    case remindMe(afterSeconds: Int)

    case open(question: String, options: [String], seconds: Int)
    case timeIsUp
    case came(client: String)
    case left(client: String)
    case settle(clients: [String], effects: [String])

    static let clientTypes = ["vote", "remindMe"]
    static let ownTypes = ["open", "timeIsUp", "came", "left", "settle"]

    static func connected(_ client: ClientIdentity) -> PollAction? { .came(client: client.id) }
    static func disconnected(_ client: ClientIdentity) -> PollAction? { .left(client: client.id) }
    static func reconcile(clients: [String], effects: [String]) -> PollAction? {
        .settle(clients: clients, effects: effects)
    }
}
