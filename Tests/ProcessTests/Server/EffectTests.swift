import Foundation
import RexProtocol
import RexTesting
import Testing

/// Effects of the hosted stores as other clients see them.
@Suite(.ownThreads) struct EffectTests {
    private func effects(_ client: LineClient, _ store: String) throws -> [JSONValue] {
        let reply = try client.ask(["op": "effects", "store": .string(store)])
        return try #require(reply["effects"]?.array, "\(reply)")
    }

    @Test func aTimerIsListedAndCancelledFromAnotherConnection() throws {
        let server = try Programs.startServer()
        let starter = try LineClient(server)
        let other = try LineClient(server)
        let replica = try Replica(other, "counter")
        let start: JSONValue = ["dueTime_ms": 0, "period_ms": 5]
        #expect(try starter.dispatch("startTimer", start).op == "ack")
        try replica.follow { ($0.state["ticks"]?.int ?? 0) >= 5 }
        let listed = try effects(other, "counter")
        #expect(listed.count == 1)
        let timer = try #require(listed.first)
        #expect(timer["id"] == "timer" && timer["scope"] == "store" && timer["from_rev"] == 1)
        #expect((timer["emitted"]?.int ?? 0) >= 5 && (timer["age_ms"]?.int ?? -1) >= 0)

        // The timer is the store's: it stays when the one who started it goes.
        let me = try starter.ask(["op": "clients"])["clients"]?.array?.count
        #expect(me == 2)
        starter.close()
        let gone = ContinuousClock.now + .seconds(10)
        while try other.ask(["op": "clients"])["clients"]?.array?.count != 1 {
            try #require(ContinuousClock.now < gone)
        }
        #expect(try effects(other, "counter").count == 1)

        let cancelled = try other.ask(["op": "cancel", "store": "counter", "effect": "timer"])
        #expect(cancelled["cancelled"] == 1)
        try replica.follow { $0.state["isRunning"] == false }
        #expect(try effects(other, "counter").isEmpty)
        let again = try other.ask(["op": "cancel", "store": "counter", "effect": "timer"])
        #expect(again.code == "not_found" && again["at"] == "/effect")
        // The store knows: it can be started anew.
        #expect(try other.dispatch("startTimer", ["dueTime_ms": 0, "period_ms": 1000]).op == "ack")
        #expect(try effects(other, "counter").count == 1)
    }

    @Test func aClientsEffectEndsWithItAndOutlivesOthers() throws {
        let server = try Programs.startServer()
        let watcher = try LineClient(server)
        let replica = try Replica(watcher, "chat", "/rooms/general")
        var people: [String: LineClient] = [:]
        for name in ["ann", "bob", "cid"] {
            let client = try LineClient(server)
            let join: JSONValue = ["room": "general", "name": .string(name)]
            #expect(try client.dispatch("join", join, store: "chat").op == "ack")
            people[name] = client
        }
        for name in ["ann", "bob"] {
            let typing = try people[name]!.dispatch("typing", ["room": "general"], store: "chat")
            #expect(typing.op == "ack")
        }
        let listed = try effects(watcher, "chat")
        #expect(listed.count == 2)
        #expect(Set(listed.compactMap { $0["scope"]?.string }).count == 2)
        #expect(listed.allSatisfy { $0["scope"]?.string?.hasPrefix("client:c") == true })
        // Somebody else's end changes nothing; one's own ends what one had going.
        people["cid"]!.reset()
        try replica.follow { $0.state["members"] == ["ann", "bob"] }
        #expect(try effects(watcher, "chat").count == 2)
        people["ann"]!.close()
        try replica.follow { $0.state["members"] == ["bob"] }
        #expect(replica.state["typing"] == ["bob"])
        let left = try effects(watcher, "chat")
        #expect(left.count == 1)
        let id = try #require(left.first?["id"]?.string)
        // Cancelled from outside, the state says so at once.
        let cancelled = try watcher.ask(["op": "cancel", "store": "chat", "effect": .string(id)])
        #expect(cancelled["cancelled"] == 1)
        try replica.follow { $0.state["typing"] == [] }
    }

    @Test func anAnswerComesLaterAndDelaysNobody() throws {
        let server = try Programs.startServer()
        let slow = try LineClient(server)
        let other = try LineClient(server)
        try slow.send(
            """
            {"op":"dispatch","id":"slow","store":"counter","await":"effects",\
            "action":{"type":"fetch","payload":{"delay_ms":300,"fail":false}}}
            {"op":"ping","id":"ping"}

            """)
        // The ping after it is answered before it; so is everybody else.
        #expect(try slow.frame()["id"] == "ping")
        #expect(try other.dispatch("increment").op == "ack")
        #expect(try other.state("counter", "/isLoading") == true)
        #expect(try effects(other, "counter").map { $0["id"] } == ["fetch"])
        let ack = try slow.reply("slow")
        #expect(ack.op == "ack" && ack["rev"] == 1)
        let state = try other.state("counter")
        #expect(state["isLoading"] == false && state["fetched"]?.string != nil)
        // Cancelled counts as ended.
        try slow.send(
            """
            {"op":"dispatch","id":"never","store":"counter","await":"effects",\
            "action":{"type":"fetch","payload":{"delay_ms":80000000,"fail":false}}}

            """)
        let deadline = ContinuousClock.now + .seconds(10)
        while try effects(other, "counter").isEmpty { try #require(ContinuousClock.now < deadline) }
        _ = try other.ask(["op": "cancel", "store": "counter", "effect": "fetch"])
        #expect(try slow.reply("never").op == "ack")
    }
}
