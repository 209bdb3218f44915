import Rex
import RexProtocol

/// A chat's state, as large as it is asked to be.
private struct Chat: Statable, Codable {
    var visits = 0
    var rooms: TreeMap<String, Room>
    /// Numbers the new messages.
    var last: Int

    init(messages: Int) {
        rooms = ["general": Room(messages: TreeArray((0..<messages).map(Message.init)))]
        last = messages
    }
}

private struct Room: Equatable, Sendable, Codable {
    var topic = "a topic"
    var members = ["ann", "bob"]
    var messages: TreeArray<Message>
}

private struct Message: Equatable, Sendable, Codable {
    var id: String
    var from = "ann"
    var text = "this is the text of a message, as long as most are"
    var edited = false

    init(_ number: Int) { id = "message-\(number)" }
}

private enum ChatAction: Actionable {
    case visit, append, removeLast, edit, removeFirst, insertFirst
}

private struct ChatReducer: Reducer {
    func reduce(state: inout Chat, action: ChatAction) -> [Effect<ChatAction>] {
        switch action {
        case .visit: state.visits += 1
        case .append:
            let message = state.next()
            state.rooms["general"]?.messages.append(message)
        case .removeLast: state.rooms["general"]?.messages.removeLast()
        case .edit:
            let message = state.next()
            let middle = (state.rooms["general"]?.messages.count ?? 0) / 2
            state.rooms["general"]?.messages[middle].text = "edited \(message.id)"
        case .removeFirst: state.rooms["general"]?.messages.removeFirst()
        case .insertFirst:
            let message = state.next()
            state.rooms["general"]?.messages.insert(message, at: 0)
        }
        return []
    }
}

extension Chat {
    fileprivate mutating func next() -> Message {
        last += 1
        return Message(last)
    }
}

/// One action on a state of 100 messages and of 100,000: reduce, diff, and the text of the patch.
func costTable() async {
    print("cost: reduce, diff and patch text of one action, beside a state of another size")
    let pairs: [(String, ChatAction, ChatAction)] = [
        ("change a number elsewhere", .visit, .visit),
        ("append a message, remove the last", .append, .removeLast),
        ("edit the one in the middle", .edit, .edit),
        ("remove the first, insert one there", .removeFirst, .insertFirst),
    ]
    for (title, first, second) in pairs {
        var small = 0.0
        for size in [100, 10_000, 100_000] {
            let time = await measure(size, first, second)
            if size == 100 { small = time }
            let ratio = (time / small * 100).rounded() / 100
            let name = "\(title), \(size) messages"
            let pad = String(repeating: " ", count: max(0, 56 - name.count))
            print("  \(name)\(pad) \((time * 1e8).rounded() / 100) µs   \(ratio) of 100")
        }
    }
}

/// Seconds for one action; two kinds take turns.
private func measure(_ size: Int, _ first: ChatAction, _ second: ChatAction) async -> Double {
    let core = StoreCore(
        initialState: Chat(messages: size), reducer: ChatReducer(), inbox: { _ in })
    let diff = StateDiff<Chat>()
    var before = core.state
    core.onCommit = { commit in
        do {
            keep(try diff.patch(from: before, to: commit.state))
        } catch {
            print(error)
        }
        before = commit.state
    }
    let count = 20
    var times: [Double] = []
    for round in 0..<1_000 {
        let elapsed = ContinuousClock().measure {
            for _ in 0..<count / 2 {
                core.dispatch(first)
                core.dispatch(second)
            }
        }
        if round >= 100 { times.append(elapsed / .seconds(1) / Double(count)) }
    }
    return times.sorted()[times.count / 2]
}
