import Foundation
import RexProtocol
import RexTesting
import Testing

/// `rex-client watch` and `listen` across whatever happens to the server and the wire.
@Suite(.ownThreads) struct WatchTests {
    private func json(_ text: String) throws -> JSONValue { try RawJSON(parsing: text).value }

    @Test func eachChangeIsALine() throws {
        let server = try Programs.startServer()
        let client = try LineClient(server)
        let states = try Programs.startClient(server, "--store", "counter", "watch", "/count")
        let patches = try Programs.startClient(server, "--store", "counter", "watch", "--patches")
        let frames = try Programs.startClient(server, "--store", "counter", "--json", "watch")
        #expect(try states.line() == "0")
        let begin = try json(patches.line())
        #expect(begin["rev"] == 0 && begin["state"]?["count"] == 0 && begin["epoch"] != nil)
        #expect(try json(frames.line()).op == "subscribed")
        for count in 1...3 {
            _ = try client.dispatch("increment")
            #expect(try states.line() == "\(count)")
            let change: JSONValue = [
                "from": .int(count - 1), "rev": .int(count),
                "patch": [["op": "replace", "path": "/count", "value": .int(count)]],
            ]
            #expect(try json(patches.line()) == change)
            #expect(try json(frames.line()).op == "patch")
        }
        // What does not touch the place is not told.
        _ = try client.dispatch("showAlert", "hi")
        _ = try client.dispatch("increment")
        #expect(try states.line() == "4")
    }

    @Test func aServerThatWasKilledIsFollowedWhenItIsThereAgain() throws {
        var server = try Programs.startServer()
        let address = server.address
        let watch = try Programs.startClient(server, "--store", "counter", "watch", "--patches")
        let first = try json(watch.line())
        _ = try LineClient(server).dispatch("add", 5)
        #expect(try json(watch.line())["rev"] == 1)
        try server.kill()
        server = try Programs.startServer(listen: [address])
        let again = try json(watch.line())
        #expect(again["state"]?["count"] == 0 && again["rev"] == 0)
        #expect(again["epoch"] != first["epoch"])
        _ = try LineClient(server).dispatch("add", 7)
        #expect(try json(watch.line())["rev"] == 1)
        watch.signal(SIGINT)
        #expect(try watch.wait() == .exited(130))
        #expect(watch.errorText.contains("next try in"))
        #expect(watch.errorText.contains("connected again"))
        #expect(watch.errorText.split(separator: "\n").allSatisfy { $0.hasPrefix("rex-client: ") })
    }

    @Test func aLostConnectionIsResumedWithoutAGap() throws {
        let server = try Programs.startServer()
        let relay = try Relay(to: server)
        let client = try LineClient(server)
        let url = "tcp://127.0.0.1:\(relay.port)"
        let watch = try ChildProcess(
            [Programs.client, "--url", url, "--store", "counter", "watch", "--patches"])
        let frames = try ChildProcess(
            [Programs.client, "--url", url, "--store", "counter", "--json", "watch", "/count"])
        #expect(try json(watch.line())["rev"] == 0)
        #expect(try json(frames.line()).op == "subscribed")
        for round in 1...3 {
            relay.cut()
            _ = try client.dispatch("add", 1)
            _ = try client.dispatch("add", 1)
            // What was missed may come as one patch or as two, and never as the state.
            var rev = 2 * (round - 1)
            while rev < 2 * round {
                let change = try json(watch.line())
                #expect(change["from"]?.int == rev && change["patch"] != nil)
                rev = try #require(change["rev"]?.int)
            }
            let resumed = try json(frames.line())
            if resumed.op == "subscribed" { #expect(resumed["resumed"] == true) }
        }
        watch.signal(SIGINT)
        #expect(try watch.wait() == .exited(130))
        #expect(watch.errorText.contains("connected again"))
    }

    @Test func aListenerComesBackAndSaysWhatItMayHaveMissed() throws {
        let server = try Programs.startServer()
        let relay = try Relay(to: server)
        let client = try LineClient(server)
        let listen = try ChildProcess(
            [Programs.client, "--url", "tcp://127.0.0.1:\(relay.port)", "listen", "news"])
        func ask(_ frame: JSONValue, until isRight: (JSONValue) -> Bool) throws {
            let deadline = ContinuousClock.now + ChildProcess.patience
            while try !isRight(client.ask(frame)) { try #require(ContinuousClock.now < deadline) }
        }
        func publish(_ data: JSONValue) throws {
            try ask(["op": "publish", "topic": "news", "data": data]) { $0["listeners"] != 0 }
        }
        try publish("before")
        #expect(try listen.line() == "news \"before\"")
        relay.cut()
        try listen.errors(until: "events in between are not seen")
        try listen.errors(until: "connected again")
        try publish("after")
        #expect(try listen.line() == "news \"after\"")
    }

    @Test func aPositionIsGoneOnFrom() throws {
        let server = try Programs.startServer()
        let client = try LineClient(server)
        for _ in 1...3 { _ = try client.dispatch("increment") }
        let epoch = try #require(
            client.ask(["op": "get", "store": "counter"])["epoch"]?.string)
        let watch = try Programs.startClient(
            server, "--store", "counter", "watch", "--patches", "--since", "\(epoch):1")
        let change = try json(watch.line())
        #expect(change["from"] == 1 && change["rev"] == 3)
        let anew = try Programs.startClient(
            server, "--store", "counter", "watch", "--patches", "--since", "other:1")
        #expect(try json(anew.line())["state"]?["count"] == 3)
    }
}
