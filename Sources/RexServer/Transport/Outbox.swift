import RexLoop
import RexProtocol

/// What waits to be written to one connection, in the order in which it will leave.
///
/// During a turn three rows grow: patches are placed at once (they stand ahead of the turn's
/// replies), replies collect in one buffer, events come after them. `seal` ends the rows: it fixes
/// the order of what is there, so that what comes next comes after it. At the end of the turn the
/// server seals and writes everything by one `sendmsg`.
struct Outbox {
    /// Sealed, in order; the first `head` chunks and `offset` bytes of the next have left.
    private var ready: [Chunk] = []
    private var head = 0
    private(set) var offset = 0
    private var replies = JSONWriter()
    /// Replies of the turn before those, where they are many: of one chunk nothing can be taken
    /// back once it has begun to leave.
    private var moreReplies: [Chunk] = []
    private var events: [Chunk] = []
    /// How many chunks have been in front of `ready` since the beginning.
    private var passed = 0
    /// From which chunk on (counted from the beginning) which batch of the journal must be stored.
    private var holds: [(from: Int, ticket: UInt64)] = []

    /// Bytes that have not been handed to the kernel.
    private(set) var pendingBytes = 0
    /// What all outboxes of the server hold.
    private let ledger: OutboxLedger

    init(_ ledger: OutboxLedger = OutboxLedger()) { self.ledger = ledger }

    var isEmpty: Bool { pendingBytes == 0 }

    /// Adds one frame to the turn's replies. `body` writes its bytes alone.
    mutating func reply(as encoding: FrameEncoding = .line, _ body: (inout JSONWriter) -> Void) {
        let before = encoding.begin(&replies)
        body(&replies)
        encoding.end(&replies, from: before)
        pendingBytes += replies.bytes.count - before
        if replies.bytes.count > Self.replyChunkBytes { moreReplies.append(takeReplies()) }
    }

    /// Adds bytes that are no frame: heads of HTTP, control frames.
    mutating func replyBytes(_ body: (inout JSONWriter) -> Void) {
        let before = replies.bytes.count
        body(&replies)
        pendingBytes += replies.bytes.count - before
    }

    /// Places a patch or a state ahead of the replies that are not sealed yet.
    mutating func place(_ chunk: Chunk) {
        ledger.enter(chunk)
        ready.append(chunk)
        pendingBytes += chunk.count
    }

    /// Adds events after the replies that are not sealed yet.
    mutating func addEvents(_ chunk: Chunk) {
        ledger.enter(chunk)
        events.append(chunk)
        pendingBytes += chunk.count
    }

    /// Fixes the order of what is there.
    mutating func seal() {
        if !moreReplies.isEmpty {
            ready.append(contentsOf: moreReplies)
            moreReplies = []
        }
        if !replies.bytes.isEmpty { ready.append(takeReplies()) }
        if events.count == 1 {
            ready.append(events.removeLast())
        } else if !events.isEmpty {
            ready.append(contentsOf: events)
            events.removeAll(keepingCapacity: events.count < 8)
        }
    }

    private mutating func takeReplies() -> Chunk {
        let chunk = Chunk(replies.bytes)
        ledger.enter(chunk)
        // A buffer that once held a large reply is let go, so that an idle connection is small.
        if replies.bytes.capacity > Self.keptReplyBytes {
            replies.bytes = []
        } else {
            replies.bytes.removeAll(keepingCapacity: true)
        }
        return chunk
    }

    private static let keptReplyBytes = 1_024
    private static let replyChunkBytes = 65_536
    private static let nothing = Chunk([])

    /// What is sealed, may leave and has not. Its first chunk lacks its first `offset` bytes.
    var waiting: ArraySlice<Chunk> { ready[head..<waitingEnd] }

    /// Something is sealed, may leave and has not.
    var isWaiting: Bool { head < waitingEnd }

    /// The chunk that waits, where it is only one.
    var onlyWaiting: Chunk? { waitingEnd == head + 1 ? ready[head] : nil }

    private var waitingEnd: Int {
        holds.isEmpty ? ready.count : max(head, holds[0].from - passed)
    }

    // MARK: Held back

    /// Whatever is added from here on leaves only when a batch of the journal is stored.
    mutating func hold(until ticket: UInt64) {
        if let last = holds.last, last.ticket >= ticket { return }
        holds.append((passed + ready.count, ticket))
    }

    /// Something is held back.
    var isHeld: Bool { !holds.isEmpty }

    /// Says that batches up to this one are stored.
    mutating func release(through ticket: UInt64) {
        let count = holds.prefix { $0.ticket <= ticket }.count
        if count > 0 { holds.removeFirst(count) }
    }

    /// Drops what is held back, for it will not come true. O(what waits).
    mutating func dropHeld() {
        guard let hold = holds.first else { return }
        seal()
        let keep = max(head, hold.from - passed)
        // What has begun to leave has to leave whole, and it was not held.
        drop(from: keep)
    }

    /// Drops all but its first `count` bytes and what has begun to leave. O(what waits).
    mutating func drop(after count: Int) {
        seal()
        var left = count + offset
        var keep = head
        while keep < ready.count, left > 0 {
            left -= ready[keep].count
            keep += 1
        }
        drop(from: keep)
    }

    private mutating func drop(from keep: Int) {
        for chunk in ready[keep...] {
            pendingBytes -= chunk.count
            ledger.leave(chunk)
        }
        ready.removeSubrange(keep...)
        holds = []
    }

    /// Drops everything: nothing is written any more. O(what waits).
    mutating func clear() {
        seal()
        for chunk in ready[head...] { ledger.leave(chunk) }
        ready = []
        head = 0
        offset = 0
        pendingBytes = 0
        holds = []
    }

    /// The memory that would be free without it: what others hold too is theirs as well. O(what
    /// waits).
    var share: Int {
        [ready[head...], moreReplies[...], events[...]].joined()
            .reduce(replies.bytes.count) { $0 + $1.share }
    }

    /// Says that `count` bytes of `waiting` have left.
    mutating func didWrite(_ count: Int) {
        pendingBytes -= count
        var left = count + offset
        while head < ready.count, ready[head].count <= left {
            left -= ready[head].count
            ledger.leave(ready[head])
            // Not kept until the row is made shorter, where it is much.
            if ready[head].count > Self.keptReplyBytes { ready[head] = Self.nothing }
            head += 1
        }
        offset = left
        if head == ready.count {
            precondition(left == 0, "more bytes reported as written than were waiting")
            passed += ready.count
            if ready.capacity > 8 {
                ready = []
            } else if head == 1 {
                ready.removeLast()
            } else {
                ready.removeAll(keepingCapacity: true)
            }
            head = 0
        } else if head > 64 {
            ready.removeFirst(head)
            passed += head
            head = 0
        }
    }

    /// Hands over the first waiting chunks, one or `limit` bytes of them, to be written as the
    /// other side reads. They count as pending until `didWrite`.
    func first(_ limit: Int) -> (chunks: ArraySlice<Chunk>, bytes: Int) {
        var bytes = -offset
        var end = head
        let last = waitingEnd
        while end < last, end == head || bytes + ready[end].count <= limit {
            bytes += ready[end].count
            end += 1
        }
        return (ready[head..<end], bytes)
    }
}

extension Outbox {
    /// Has a socket take what waits, as much as it will at once.
    ///
    /// - Parameter sealing: all that there is gets its place first.
    /// - Returns: the bytes that have left.
    mutating func write(to socket: Socket, sealing: Bool) -> Int {
        if sealing { seal() }
        var left = 0
        while isWaiting, !socket.isDraining, !socket.isClosing {
            // The slice is gone before the row lets go of its chunks, which it then holds alone.
            let taken = offer(to: socket)
            if taken == 0 { break }
            didWrite(taken)
            left += taken
        }
        return left
    }

    private func offer(to socket: Socket) -> Int {
        guard !socket.isSecured else {
            // What a cipher makes is this connection's alone: not more than the kernel may soon
            // take.
            return socket.write(
                first(Self.cipheredBytes).chunks, offset: offset, most: Self.cipheredBytes)
        }
        if let chunk = onlyWaiting { return socket.write(chunk, offset: offset) }
        return socket.write(waiting.prefix(Self.mostChunks), offset: offset)
    }

    /// The most chunks of one `sendmsg` (the system's IOV_MAX).
    private static let mostChunks = 1_024
    /// How much a cipher is given at a time.
    private static let cipheredBytes = 65_536
}
