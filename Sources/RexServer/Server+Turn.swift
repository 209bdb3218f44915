import Rex
import RexLoop
import RexProtocol

/// The end of a turn: what was done becomes what is sent.
///
/// Nothing is written while frames are served. Then, in this order, because each needs the one
/// before: the *cut* (patches of the turn's commits ahead of the replies, events after them), one
/// write for each connection that has something, and the next deadline.
extension Server {
    func endTurn() {
        cut()
        // The disk has its work before the sockets have theirs.
        handOverToJournal()
        // A flush may end a connection, whose leaving may commit: that belongs to the next round.
        var rounds = 0
        while !touched.isEmpty, rounds < Self.mostRounds {
            rounds += 1
            let list = touched
            touched.removeAll(keepingCapacity: true)
            for connection in list {
                connection.isTouched = false
                flush(connection)
                if journal != nil { didFlush(connection) }
            }
            cut()
        }
        handOverToJournal()
        relieveOutboxes()
        if !touched.isEmpty { loop.wake() }
        armTimer()
        noteTurn()
    }

    /// A turn begins with the first thing that comes: bytes, a connection, a deadline, a message of
    /// another thread.
    func beginTurn() {
        if turnBegan == 0 { turnBegan = Loop.nanoseconds }
    }

    private func noteTurn() {
        let woken = loop.wokenAt
        let began = turnBegan == 0 || (woken > 0 && woken < turnBegan) ? woken : turnBegan
        turnBegan = 0
        if began > 0 { metrics.turnLength.record(nanoseconds: Loop.nanoseconds &- began) }
    }

    private static let mostRounds = 4

    /// Sends every commit and event so far into the outboxes. What is replied from here on comes
    /// after.
    func cut() {
        while !touchedStores.isEmpty {
            for store in touchedStores.takeAll() {
                sendCommits(of: store)
                sendReady(of: store)
            }
        }
        sendEvents()
        closeSlow()
    }

    /// A cut whose order is fixed for one connection: its next reply stands after all that is
    /// there.
    func cut(before connection: Connection) {
        cut()
        connection.outbox.seal()
    }

    // MARK: Commits

    /// Brings every subscription that is in step from the last cut to the present state: one patch
    /// for each place that somebody follows, encoded once.
    private func sendCommits(of store: HostedStore) {
        let old = store.lastCut
        let new = store.host.snapshot
        guard old !== new else { return }
        store.lastCut = new
        store.wakeWaits()
        guard !store.watches.isEmpty else { return }
        for watch in store.watches.values {
            do throws(WireError) {
                guard let patch = try store.host.patch(from: old, to: new, at: watch.place) else {
                    continue
                }
                var frames = StateFrames(store: store, place: watch.place, revision: new.revision)
                for member in watch.members {
                    if member.base != nil {
                        // It waits already: this one too comes to it in the merged patch.
                        countMerged(member)
                    } else if mustWait(member) {
                        member.base = old
                        countMerged(member)
                    } else {
                        try send(patch, to: member, by: &frames)
                    }
                }
            } catch {
                note(
                    .error, "fanout_failed", about: store.host.name,
                    ["store": store.host.name, "reason": error.message])
            }
        }
    }

    /// Whether a subscription gets its frame later; then what makes it ready is arranged.
    private func mustWait(_ subscription: Subscription) -> Bool {
        let connection = subscription.connection
        if isBehind(connection) {
            if subscription.base == nil { metrics.count(.outboxBytes) }
            if subscription.slow == .close { noteSlow(connection) }
            return true
        }
        guard subscription.throttle > 0 else { return false }
        let now = loop.milliseconds
        guard now < subscription.notBefore else { return false }
        add(
            .throttle(connection: connection.id, subscription: subscription.number),
            at: subscription.notBefore)
        return true
    }

    /// A patch that it will not get. One that asked to have fewer is not slow.
    private func countMerged(_ subscription: Subscription) {
        if isBehind(subscription.connection) { metrics.patchesMerged += 1 }
    }

    private func send(
        _ patch: RawJSON, to subscription: Subscription, by frames: inout StateFrames
    ) throws(WireError) {
        let isState = subscription.mode == .state || subscription.owesState
        let chunk =
            isState ? try frames.state(for: subscription) : frames.patch(patch, for: subscription)
        if isState { metrics.statesSent += 1 } else { metrics.patchesSent += 1 }
        subscription.sentRevision = frames.revision
        subscription.owesState = false
        if subscription.throttle > 0 {
            subscription.notBefore = loop.milliseconds + subscription.throttle
        }
        let connection = subscription.connection
        holdBack(connection)
        connection.outbox.place(chunk)
        touch(connection)
        if connection.outbox.pendingBytes > outboxLimit { write(connection) }
    }

    // MARK: Those who are behind

    /// Marks what a drained connection missed, to be sent at the cut.
    func catchUp(_ connection: Connection) {
        for subscription in connection.session.subscriptions.values where subscription.base != nil {
            makeReady(subscription)
        }
    }

    private func makeReady(_ subscription: Subscription) {
        subscription.store.ready.append(subscription)
        subscription.store.touch()
    }

    /// Brings subscriptions that were behind up to the cut by one merged patch each.
    private func sendReady(of store: HostedStore) {
        guard !store.ready.isEmpty else { return }
        let list = store.ready
        store.ready.removeAll(keepingCapacity: true)
        // Those who fell behind together have the same base at the same place: one patch for them
        // all.
        var made:
            [(base: any StateSnapshot, place: ReadPlace, patch: RawJSON?, frames: StateFrames)] = []
        for subscription in list {
            guard let base = subscription.base, !mustWait(subscription) else { continue }
            let place = subscription.watch.place
            var index = made.firstIndex { $0.base === base && $0.place == place }
            do throws(WireError) {
                if index == nil {
                    let patch = try store.host.patch(from: base, to: store.lastCut, at: place)
                    let frames = StateFrames(
                        store: store, place: place, revision: store.lastCut.revision)
                    made.append((base, place, patch, frames))
                    index = made.count - 1
                }
                subscription.base = nil
                if made[index!].patch != nil || subscription.owesState {
                    let patch = made[index!].patch ?? JSONPatch().raw
                    try send(patch, to: subscription, by: &made[index!].frames)
                }
            } catch {
                note(
                    .error, "fanout_failed", about: store.host.name,
                    ["store": store.host.name, "reason": error.message])
            }
        }
    }

    // MARK: Deadlines

    func add(_ deadline: Deadline, after milliseconds: Int) {
        add(deadline, at: loop.milliseconds + UInt64(max(0, milliseconds)))
    }

    func add(_ deadline: Deadline, at time: UInt64) {
        deadlines.add(deadline, at: time)
    }

    private func armTimer() {
        guard let next = deadlines.next, next != armedFor else { return }
        armedFor = next
        let now = loop.milliseconds
        timer?.arm(after: .milliseconds(next > now ? Int(next - now) : 0))
    }

    func didReachDeadline() {
        beginTurn()
        armedFor = nil
        // What is added on the way is for the next turn, also where it is due at once: sockets are
        // read in between.
        let age = deadlines.order
        while let due = deadlines.takeDue(at: loop.milliseconds, addedBy: age) {
            switch due {
            case .throttle(let id, let number):
                if let subscription = connections[id]?.session.subscriptions[number],
                    subscription.base != nil
                {
                    makeReady(subscription)
                }
            case .heartbeat(let id):
                if let connection = connections[id] { beat(connection) }
            case .stall(let id):
                if let connection = connections[id] { checkStall(connection) }
            case .linger(let id): connections[id]?.socket.close()
            case .halfClosed(let id):
                if let connection = connections[id] { checkHalfClosed(connection) }
            case .departure(let id):
                if let connection = connections[id] { checkDeparture(connection) }
            case .drain: endDrain()
            case .goOn(let id): if let connection = connections[id] { goOn(connection) }
            case .request(let id): if let connection = connections[id] { checkRequest(connection) }
            case .surplus(let id):
                if let connection = connections[id], connection.phase == .undecided {
                    refuseSurplus(connection)
                }
            case .session(let name): checkSession(name)
            case .journal: didReachJournalDeadline()
            case .grace(let name): checkParked(name)
            case .handshake(let id):
                if let connection = connections[id] { checkHandshake(connection) }
            case .name(let id): if let connection = connections[id] { checkName(connection) }
            case .authorization(let id):
                if let connection = connections[id] { checkVerdict(of: connection) }
            case .expiry(let id): if let connection = connections[id] { checkExpiry(connection) }
            case .dispatchRate(let user): checkDispatchRate(of: user)
            case .idle(let id): if let connection = connections[id] { checkIdle(connection) }
            case .storms: endStorms()
            }
        }
    }

    private func checkStall(_ connection: Connection) {
        guard connection.isServed, let since = connection.stalledSince else { return }
        let end = since + UInt64(limits.stallMilliseconds)
        guard loop.milliseconds >= end else {
            add(.stall(connection: connection.id), at: end)
            return
        }
        // Who reads on, however slowly, is not stalled.
        let unsent = connection.socket.unsentBytes
        guard unsent >= connection.stalledBytes else {
            connection.stalledBytes = unsent
            connection.stalledSince = loop.milliseconds
            add(.stall(connection: connection.id), after: limits.stallMilliseconds)
            return
        }
        metrics.count(.stallMilliseconds)
        close(connection, .tooSlow, "nothing was read for \(limits.stallMilliseconds) ms")
    }
}

/// The frames that bring subscriptions of one place to one revision: encoded once for all who have
/// the same name for their subscription and come from the same revision, which is nearly all of
/// them.
struct StateFrames {
    let revision: Int
    private let store: HostedStore
    private let place: ReadPlace
    private var patches: [Key: Chunk] = [:]
    private var states: [Key: Chunk] = [:]
    private var last: (key: Key, chunk: Chunk)?

    private struct Key: Hashable {
        let number: Int
        let from: Int
        let encoding: FrameEncoding
    }

    init(store: HostedStore, place: ReadPlace, revision: Int) {
        self.store = store
        self.place = place
        self.revision = revision
    }

    mutating func patch(_ patch: RawJSON, for subscription: Subscription) -> Chunk {
        let key = Key(
            number: subscription.number, from: subscription.sentRevision,
            encoding: subscription.connection.encoding)
        if let last, last.key == key { return last.chunk }
        let chunk =
            patches[key]
            ?? self.chunk(
                .patch(
                    .init(
                        sub: "s\(key.number)", store: store.host.name, from: key.from,
                        rev: revision, patch: patch)), "patch", key.encoding)
        patches[key] = chunk
        last = (key, chunk)
        return chunk
    }

    mutating func state(for subscription: Subscription) throws(WireError) -> Chunk {
        let key = Key(
            number: subscription.number, from: 0, encoding: subscription.connection.encoding)
        if let chunk = states[key] { return chunk }
        let state = try store.host.state(in: store.lastCut, at: place)
        let chunk = self.chunk(
            .state(
                .init(
                    sub: "s\(subscription.number)", store: store.host.name, path: place.path,
                    epoch: place.epoch(of: store.host), rev: revision, state: state)), "state",
            key.encoding)
        states[key] = chunk
        return chunk
    }

    /// One frame as it goes out; a stream of events also learns the name and the position.
    private func chunk(_ frame: ServerFrame, _ name: StaticString, _ encoding: FrameEncoding)
        -> Chunk
    {
        var writer = JSONWriter()
        if encoding == .event {
            writer.bytes += "id: \(place.epoch(of: store.host)):\(revision)\nevent: \(name)\n".utf8
        }
        let start = encoding.begin(&writer)
        frame.encode(into: &writer)
        encoding.end(&writer, from: start)
        return Chunk(writer.bytes)
    }
}
