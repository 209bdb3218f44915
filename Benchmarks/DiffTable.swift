import Rex
import RexProtocol

private struct Counter: Encodable {
    var count = 0
    var isRunning = false
    var ticks = 0
    var label: String? = "a label"
    var fetched: String?
    var isLoading = false
}

private struct Message: Encodable {
    var id: String
    var from = "somebody in the room"
    var text: String
    var at = "2026-11-30T12:00:00.000Z"
    var tag = "a tag that is no small string"
}

private struct Room: Encodable {
    var topic = "a topic"
    var members = ["ann", "bob"]
    var messages: [Message]
}

private struct Chat: Encodable {
    var rooms: [String: Room]
    var visits = 0

    init(messages: Int) {
        rooms = [
            "general": Room(
                messages: (0..<messages).map {
                    Message(id: "message number \($0)", text: "this is the text of message \($0)")
                })
        ]
    }
}

/// The difference of two states alone: the reducer's copy was made before.
func diffTable() async {
    print("diff: two states to the text of their patch")
    let counter = Counter()
    var counted = counter
    counted.count += 1
    await measure("6 scalars, one changes", counter, counted, count: 200_000)
    for size in [100, 1_000, 100_000] {
        let chat = Chat(messages: size)
        var next = chat
        next.visits += 1
        await measure("\(size) messages, a field elsewhere", chat, next, count: 50_000)
        next = chat
        next.rooms["general"]!.messages.append(Message(id: "new", text: "a new text"))
        let count = max(20, 2_000_000 / size)
        await measure("\(size) messages, one appended", chat, next, count: min(20_000, count))
        next = chat
        next.rooms["general"]!.messages[size / 2].text = "edited"
        await measure("\(size) messages, one edited", chat, next, count: min(20_000, count))
        next = chat
        next.rooms["general"]!.messages.removeFirst()
        next.rooms["general"]!.messages.append(Message(id: "new", text: "a new text"))
        await measure("\(size) messages, one in, one out", chat, next, count: min(20_000, count))
    }
}

private func measure<State: Encodable>(
    _ title: String, _ old: State, _ new: State, count: Int
) async {
    let diff = StateDiff<State>()
    // There and back, as a store's states follow each other: the new one is the next old one.
    await row(title, count: count, unit: "patches") {
        for _ in 0..<count / 2 {
            do {
                keep(try diff.patch(from: old, to: new))
                keep(try diff.patch(from: new, to: old))
            } catch {
                print(error)
            }
        }
    }
}
