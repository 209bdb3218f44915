import Rex
import RexLoop
import RexProtocol
import Synchronization
import Testing

@testable import RexClient

@Suite struct ConversationTests {
    private func hear(
        _ conversation: inout Conversation, _ text: String
    ) throws -> [Conversation.Happening] {
        var heard: [Conversation.Happening] = []
        try Array(text.utf8).withUnsafeBytes { bytes in
            try conversation.received(bytes) { what, _ in heard.append(what) }
        }
        return heard
    }

    @Test func repliesAreMatchedByTheirNumberAndTheRestIsPushed() throws {
        var conversation = Conversation()
        var first = ClientFrame.ping(.init(id: "mine"))
        var second = ClientFrame.ping(.init())
        #expect(conversation.number(&first) == 1 && conversation.number(&second) == 2)
        #expect(first.id == 1)
        let heard = try hear(
            &conversation,
            """
            {"op":"pong","id":2}
            {"op":"patch","sub":"s1","store":"c","from":0,"rev":1,"patch":[]}
            {"op":"ping"}
            {"op":"error","code":"bad_json","message":"m"}
            {"op":"bye","code":"idle","message":"m","reconnect":true}

            """)
        #expect(heard.count == 5)
        #expect(heard[0] == .reply(2, .pong(id: 2)))
        #expect(heard[2] == .ping)
        #expect(heard[3] == .push(.error(id: nil, WireError(.badJSON, "m"))))
        #expect(heard[4] == .bye(.init(.idle, "m", reconnect: true)))
        #expect(conversation.outstandingCount == 1)
    }

    @Test func aLateAnswerIsDroppedAndAnUnknownPushToo() throws {
        var conversation = Conversation()
        var frame = ClientFrame.ping(.init())
        conversation.forget(conversation.number(&frame))
        #expect(try hear(&conversation, "{\"op\":\"pong\",\"id\":1}\n").isEmpty)
        #expect(try hear(&conversation, "{\"op\":\"later\",\"x\":1}\n").isEmpty)
    }

    @Test func whatIsNoFrameEndsIt() {
        var conversation = Conversation()
        #expect(throws: ConnectionError.self) { try hear(&conversation, "nonsense\n") }
        var other = Conversation(lineLimit: 10)
        #expect(throws: ConnectionError.lineTooLong(limit: 10)) {
            try hear(&other, "{\"op\":\"pong\",\"id\":1}\n")
        }
    }
}

@Suite struct ReplicaTests {
    private func subscribed(_ state: String?, rev: Int, resumed: Bool = false) throws
        -> ServerFrame.Subscribed
    {
        .init(
            id: nil, sub: "s1", store: "c", path: .root, epoch: "e", rev: rev, resumed: resumed,
            state: try state.map { try RawJSON(parsing: $0) })
    }

    private func patch(_ from: Int, _ rev: Int, _ text: String) throws -> ServerFrame.Patch {
        .init(sub: "s1", store: "c", from: from, rev: rev, patch: try RawJSON(parsing: text))
    }

    @Test func patchesAreAppliedInTheirOrder() throws {
        var replica = Replica(try subscribed("{\"n\":1}", rev: 4))
        try replica.apply(patch(4, 6, #"[{"op":"replace","path":"/n","value":2}]"#))
        #expect(replica.state == ["n": 2])
        #expect(replica.position.rev == 6)
    }

    @Test func aGapAnOverlapAndAPatchThatDoesNotApplyAreNoticed() throws {
        var replica = Replica(try subscribed("{\"n\":1}", rev: 4))
        let before = replica
        #expect(throws: Replica.Misfit.self) { try replica.apply(patch(5, 6, "[]")) }
        #expect(throws: Replica.Misfit.self) { try replica.apply(patch(3, 5, "[]")) }
        #expect(throws: Replica.Misfit.self) {
            try replica.apply(
                patch(4, 5, #"[{"op":"add","path":"/m","value":1},{"op":"remove","path":"/x"}]"#))
        }
        #expect(replica == before)
    }

    @Test func resumingKeepsTheStateOrTakesTheNewOne() throws {
        var replica = Replica(try subscribed("{\"n\":1}", rev: 4))
        try replica.resume(subscribed(nil, rev: 9, resumed: true))
        #expect(replica.state == ["n": 1] && replica.position.rev == 4)
        try replica.resume(subscribed("{\"n\":5}", rev: 9))
        #expect(replica.state == ["n": 5] && replica.position.rev == 9)
    }
}

@Suite struct RexConnectionTests {
    @ClientLoop @Test func manyRequestsAreUnderWayAtOnce() async throws {
        var waiting: [String] = []
        let server = try ScriptedServer { peer, frame in
            waiting.append(frame.id)
            guard waiting.count == 100 else { return }
            for id in waiting.reversed() {
                peer.write("{\"op\":\"ack\",\"id\":\(id),\"rev\":\(id)}")
            }
        }
        let connection = try await RexConnection.open(server.url, timeout: patience)
        var replies: [PendingReply] = []
        for _ in 0..<100 { replies.append(try await connection.post(.undo(.init()))) }
        for (index, reply) in replies.enumerated() {
            guard case .ack(let ack) = try await reply.frame() else { continue }
            #expect(ack.rev == index + 1)
        }
        server.close()
    }

    @ClientLoop @Test func aRefusalIsThrownAndTheConnectionStands() async throws {
        let server = try ScriptedServer { peer, frame in
            if frame.op == "ping" { return peer.write("{\"op\":\"pong\",\"id\":\(frame.id)}") }
            peer.write(
                #"{"op":"error","id":\#(frame.id),"code":"conflict","message":"no","rev":7}"#)
        }
        let connection = try await RexConnection.open(server.url, timeout: patience)
        let error = await #expect(throws: ConnectionError.self) {
            try await connection.request(.undo(.init()))
        }
        #expect(error == .refused(WireError(.conflict, "no", rev: 7)))
        #expect(try await connection.request(.ping(.init())) == .pong(id: 2))
        server.close()
    }

    @ClientLoop @Test func aGoodbyeIsTheReasonForWhoeverWaits() async throws {
        let server = try ScriptedServer { peer, _ in
            peer.write(#"{"op":"bye","code":"shutting_down","message":"later","reconnect":true}"#)
            peer.socket.finish()
        }
        let connection = try await RexConnection.open(server.url, timeout: patience)
        let error = await #expect(throws: ConnectionError.self) {
            try await connection.request(.ping(.init()))
        }
        #expect(error == .closed(.init(.shuttingDown, "later", reconnect: true)))
        #expect(error?.isWorthAnotherTry == true)
        await #expect(throws: ConnectionError.self) {
            for try await _ in connection.pushes {}
        }
        server.close()
    }

    @ClientLoop @Test func anAnswerThatDoesNotComeIsATimeoutAndTheNextOneIsNotMistaken()
        async throws
    {
        var held: String?
        let server = try ScriptedServer { peer, frame in
            guard let first = held else {
                held = frame.id
                return
            }
            peer.write("{\"op\":\"ack\",\"id\":\(first),\"rev\":1}")
            peer.write("{\"op\":\"ack\",\"id\":\(frame.id),\"rev\":2}")
        }
        let connection = try await RexConnection.open(server.url, timeout: patience)
        let error = await #expect(throws: ConnectionError.self) {
            try await connection.request(.undo(.init()), timeout: .milliseconds(10))
        }
        #expect(error == .timedOut(after: .milliseconds(10)))
        guard case .ack(let ack) = try await connection.request(.undo(.init())) else { return }
        #expect(ack.rev == 2)
        server.close()
    }

    @ClientLoop @Test func theServersPingIsAnswered() async throws {
        var pongs = 0
        let server = try ScriptedServer { peer, frame in
            if frame.op == "pong" { pongs += 1 }
            if frame.op == "ping" {
                peer.write("{\"op\":\"ping\"}")
                peer.write("{\"op\":\"pong\",\"id\":\(frame.id)}")
            }
        }
        let connection = try await RexConnection.open(server.url, timeout: patience)
        for _ in 0..<3 { _ = try await connection.request(.ping(.init())) }
        #expect(pongs >= 2)
        server.close()
    }

    @ClientLoop @Test func aConnectionThatListensEndsWithAResetAndAPlainOneDoesNot() async throws {
        let server = try ScriptedServer { peer, frame in
            if frame.op == "ping" { return peer.write("{\"op\":\"pong\",\"id\":\(frame.id)}") }
            peer.write(#"{"op":"listening","id":\#(frame.id),"listen":"t1","topic":"a"}"#)
        }
        let listening = try await RexConnection.open(server.url, timeout: patience)
        _ = try await listening.listen(TopicPattern("a"))
        listening.close()
        let plain = try await RexConnection.open(server.url, timeout: patience)
        _ = try await plain.request(.ping(.init()))
        plain.close()
        let probe = try await RexConnection.open(server.url, timeout: patience)
        while server.peers.prefix(2).contains(where: { $0.ending == nil }) {
            _ = try await probe.request(.ping(.init()))
        }
        #expect(server.peers[0].ending == .reset)
        #expect(server.peers[1].ending == .finished)
        server.close()
    }

    @ClientLoop @Test func aConnectionThatNobodyHoldsIsClosedButNotWhileItIsRead() async throws {
        let server = try ScriptedServer { peer, frame in
            if frame.op == "ping" { return peer.write("{\"op\":\"pong\",\"id\":\(frame.id)}") }
            peer.write(#"{"op":"listening","id":\#(frame.id),"listen":"t1","topic":"a"}"#)
            peer.write(#"{"op":"event","listen":"t1","topic":"a","data":1}"#)
        }
        let probe = try await RexConnection.open(server.url, timeout: patience)
        try await readOne(of: server, while: probe)
        while server.peers[1].ending == nil { _ = try await probe.request(.ping(.init())) }
        server.close()
    }

    /// Opens a connection, keeps nothing but its events, and reads one of them.
    @ClientLoop private func readOne(
        of server: ScriptedServer, while probe: RexConnection
    ) async throws {
        let events = try await RexConnection.open(server.url, timeout: patience).listen(
            TopicPattern("a")
        ).events
        for _ in 0..<10 { _ = try await probe.request(.ping(.init())) }
        #expect(server.peers[1].ending == nil)
        for try await _ in events { break }
    }

    @ClientLoop @Test func silenceIsNoticed() async throws {
        let server = try ScriptedServer { _, _ in }
        let connection = try await RexConnection.open(
            server.url, timeout: patience, keepAlive: .milliseconds(20))
        let error = await #expect(throws: ConnectionError.self) {
            try await connection.request(.undo(.init()), timeout: patience)
        }
        #expect(error == .lost("nothing heard for 40ms"))
        server.close()
    }

    @ClientLoop @Test func thousandsOfPushesWaitAtTheServerAndNoneIsLost() async throws {
        let count = ClientLimits.waitingPushes * 20
        let pad = String(repeating: "x", count: 500)
        let server = try ScriptedServer { peer, frame in
            peer.write(#"{"op":"listening","id":\#(frame.id),"listen":"t1","topic":"a"}"#)
            for number in 0..<count {
                peer.write(
                    #"{"op":"event","listen":"t1","topic":"a","data":{"n":\#(number)"#
                        + #","p":"\#(pad)"}}"#
                )
            }
        }
        let connection = try await RexConnection.open(server.url, timeout: patience)
        let listener = try await connection.listen(TopicPattern("a"))
        var next = 0
        for try await frame in listener.events {
            guard case .event(let event) = frame else { continue }
            #expect(event.data.value["n"]?.int == next)
            next += 1
            if next == count { break }
        }
        #expect(next == count)
        server.close()
    }
}

@Suite struct WatchTests {
    /// A counter store that hangs up after each second change and resumes from any position.
    @ClientLoop private final class Counter {
        var rev = 0
        var epoch = "e1"
        var sinces: [JSONValue?] = []
        private(set) var server: ScriptedServer!

        init() throws {
            server = try ScriptedServer { [unowned self] peer, frame in
                switch frame.op {
                case "hello":
                    peer.welcome(frame, session: "x")
                case "subscribe": subscribe(peer, frame)
                default: break
                }
            }
        }

        private func subscribe(_ peer: ScriptedServer.Peer, _ frame: JSONValue) {
            let since = frame["since"]
            sinces.append(since)
            var from = rev
            if let known = since, known["epoch"]?.string == epoch {
                from = known["rev"]!.int!
                reply(peer, frame, "true", "")
            } else {
                reply(peer, frame, "false", ",\"state\":{\"n\":\(rev)}")
            }
            rev += 1
            while from < rev {
                peer.write(
                    #"{"op":"patch","sub":"s1","store":"c","from":\#(from),"rev":\#(from + 1),"#
                        + #""patch":[{"op":"replace","path":"/n","value":\#(from + 1)}]}"#
                )
                from += 1
            }
            // One more happens while nobody is connected.
            rev += 1
            peer.socket.finish()
        }

        private func reply(
            _ peer: ScriptedServer.Peer, _ frame: JSONValue, _ resumed: String, _ state: String
        ) {
            peer.write(
                #"{"op":"subscribed","id":\#(frame.id),"sub":"s1","store":"c","path":"","#
                    + #""epoch":"\#(epoch)","rev":\#(rev),"resumed":\#(resumed)\#(state)}"#
            )
        }
    }

    private static let fast = Backoff(first: .milliseconds(2), limit: .milliseconds(4))

    @ClientLoop @Test func everyChangeComesOnceAcrossConnections() async throws {
        let counter = try Counter()
        let news = Mutex(0)
        let link = RexLink(counter.server.url, timeout: patience, backoff: Self.fast) { what in
            if case .waiting = what { news.withLock { $0 += 1 } }
        }
        try await link.connect()
        let watch = Watch(link, store: "c")
        var seen: [Int] = []
        while seen.count < 12 {
            let change = try await watch.next()
            if case .patch(let patch) = change { seen.append(patch.rev) }
            #expect(watch.replica?.state?["n"]?.int == watch.replica?.position.rev)
        }
        #expect(seen == Array(1...12))
        #expect(counter.sinces.count >= 6 && counter.sinces[0] == nil)
        #expect(counter.sinces[1] == ["epoch": "e1", "rev": 1])
        #expect(news.withLock { $0 } >= 5)
        link.close()
        counter.server.close()
    }

    @ClientLoop @Test func anotherEpochBeginsAnew() async throws {
        let counter = try Counter()
        let link = RexLink(counter.server.url, timeout: patience, backoff: Self.fast)
        try await link.connect()
        let watch = Watch(link)
        guard case .began = try await watch.next(), case .patch = try await watch.next() else {
            Issue.record("no beginning")
            return
        }
        counter.epoch = "e2"
        counter.rev = 0
        guard case .began(let frame) = try await watch.next() else {
            Issue.record("went on in another epoch")
            return
        }
        #expect(frame.epoch == "e2")
        #expect(watch.replica?.position == .init(epoch: "e2", rev: 0))
        link.close()
        counter.server.close()
    }

    @ClientLoop @Test func aRefusedSubscriptionIsNotTriedAgain() async throws {
        var count = 0
        let server = try ScriptedServer { peer, frame in
            if frame.op == "hello" {
                return peer.welcome(frame, session: "x")
            }
            count += 1
            peer.write(
                #"{"op":"error","id":\#(frame.id),"code":"unknown_store","message":"no store x"}"#)
        }
        let watch = Watch(RexLink(server.url, timeout: patience, backoff: Self.fast), store: "x")
        let error = await #expect(throws: ConnectionError.self) { try await watch.next() }
        #expect(error == .refused(WireError(.unknownStore, "no store x")))
        #expect(count == 1)
        server.close()
    }

    @ClientLoop @Test func theSessionIsKeptAcrossConnections() async throws {
        var sessions: [JSONValue?] = []
        let server = try ScriptedServer { peer, frame in
            sessions.append(frame["session"])
            peer.welcome(frame, session: "x\(peer.number)")
        }
        let link = RexLink(server.url, timeout: patience, backoff: Self.fast)
        let first = try await link.connect()
        first.close(because: .lost("test"))
        _ = try await link.connection()
        #expect(sessions == [nil, "x1"])
        link.close()
        await #expect(throws: ConnectionError.cancelled) { try await link.connection() }
        server.close()
    }
}
