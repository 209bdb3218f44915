import Rex
import Synchronization
import Testing

private struct Mailbox: Statable {
    struct Message: Equatable, Sendable {
        var text = ""
        var isRead = false
    }

    var messages: [Message] = []
    var draft = ""
    var limit = 10.0
}

/// How often something was computed.
private final class Computations: Sendable {
    private let count = Atomic<Int>(0)

    var number: Int { count.load(ordering: .relaxed) }

    func note() { count.add(1, ordering: .relaxed) }
}

struct DerivedStateTests {
    private let computations = Computations()

    private func unread() -> DerivedState<Mailbox, Int> {
        DerivedState { [computations] state in
            computations.note()
            return state.messages.filter { !$0.isRead }.count
        }
    }

    @Test func `it is computed again only when what it read has changed`() {
        let unread = unread()
        var state = Mailbox(messages: [.init(), .init(isRead: true)])
        #expect(unread.value(from: state) == 1)
        #expect(unread.value(from: state) == 1)
        state.draft = "elsewhere"
        state.limit = 3
        #expect(unread.value(from: state) == 1)
        #expect(computations.number == 1)
        state.messages[0].isRead = true
        #expect(unread.value(from: state) == 0)
        #expect(computations.number == 2)
        #expect(unread.value(from: Mailbox()) == 0)
        #expect(computations.number == 3)
    }

    @Test func `an equal array elsewhere in memory is no change`() {
        let unread = unread()
        var state = Mailbox(messages: [.init(), .init()])
        #expect(unread.value(from: state) == 2)
        state.messages.append(.init())
        state.messages.removeLast()
        #expect(unread.value(from: state) == 2)
        #expect(computations.number == 1)
    }

    @Test func `it follows what it reads this time`() {
        let title = DerivedState<Mailbox, String> { [computations] state in
            computations.note()
            return state.limit > 5 ? "many" : state.draft
        }
        var state = Mailbox(draft: "a")
        #expect(title.value(from: state) == "many")
        state.draft = "b"
        #expect(title.value(from: state) == "many")
        #expect(computations.number == 1)
        state.limit = 1
        #expect(title.value(from: state) == "b")
        state.draft = "c"
        #expect(title.value(from: state) == "c")
        #expect(computations.number == 3)
    }

    @Test func `the whole can be read, and it can be made to forget`() {
        let all = DerivedState<Mailbox, String> { [computations] state in
            computations.note()
            return "\(state.whole.messages.count) \(state.whole.draft)"
        }
        var state = Mailbox()
        #expect(all.value(from: state) == "0 ")
        #expect(all.value(from: state) == "0 ")
        state.draft = "x"
        #expect(all.value(from: state) == "0 x")
        #expect(computations.number == 2)
        all.invalidate()
        #expect(all.value(from: state) == "0 x")
        #expect(computations.number == 3)
    }

    @Test func `derive computes once`() {
        #expect(derive(from: Mailbox(draft: "abc")) { $0.draft.count } == 3)
    }
}
