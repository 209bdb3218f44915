import FoundationEssentials
import Rex
import RexClient
import RexTesting
import Testing

@testable import PollServer

@Suite struct PollTests {
    let ann = Origin.client(ClientIdentity(id: "c1"))

    @Test func aPollEndsByItself() async {
        let store = TestStore(initialState: Poll(), reducer: PollReducer())
        await store.send(.open(question: "Tea?", options: ["yes", "no"], seconds: 60)) {
            $0.id = "1-1"
            $0.question = "Tea?"
            $0.options = ["yes", "no"]
            $0.seconds = 60
            $0.closesAt = .init(timeIntervalSince1970: 60)
        }
        await store.send(.vote("yes"), from: ann) { $0.votes = ["c1": "yes"] }
        #expect(await store.refusal(of: .vote("maybe"), from: ann) is Refusal)

        await store.advance(by: .seconds(60))
        await store.receive(.timeIsUp) {
            $0.closesAt = nil
            $0.notice = "'Tea?' is closed"
        }
        #expect(store.events.map(\.topic) == ["closed"])
    }

    /// As after an undo of the end: the state says open, and no timer runs.
    @Test func anOpenPollGetsItsTimerBack() async {
        var open = Poll()
        open.question = "Tea?"
        open.seconds = 60
        open.closesAt = .init(timeIntervalSince1970: 10)
        let store = TestStore(initialState: open, reducer: PollReducer())
        await store.send(.settle(clients: ["c1"], effects: []), from: .system) {
            $0.present = ["c1"]
            $0.closesAt = .init(timeIntervalSince1970: 60)
        }
        #expect(store.effects.map(\.id) == [PollReducer.closing])
        store.cancelAllEffects()
    }

    @Test func itServes() async throws {
        let server = try ServerProcess([ServerProcess.builtPrograms + "/PollServer", "127.0.0.1:0"])
        let talk = try Transcript(
            parsing: """
                > {"op":"subscribe","path":"/question"}
                < {"op":"subscribed","store":"poll","state":"Tea or coffee?"}
                > {"op":"listen","topic":"results.>"}
                < {"op":"listening"}
                > {"type":"vote","payload":"tea","id":1}
                <~ {"op":"ack","id":1}
                <~ {"op":"event","topic":"results.1-1","data":{"tea":1}}
                """, file: "poll")
        let player = TranscriptPlayer(url: try RexURL(server.address), timeout: .seconds(60))
        #expect(try await player.play(talk) == 4)
        #expect(try server.stop() == .exited(0))
    }
}
