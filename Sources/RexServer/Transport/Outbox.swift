import RexLoop
import RexProtocol

/// What waits to be written to one connection, in the order in which it will leave.
///
/// During a turn three rows grow: patches are placed at once (they stand ahead of the turn's
/// replies), replies collect in one buffer, events come after them. `seal` ends the rows: it fixes
/// the order of what is there, so that what comes next comes after it. At the end of the turn the
/// server seals and writes everything by one `writev`.
struct Outbox {
    /// Sealed, in order; the first `head` chunks and `offset` bytes of the next have left.
    private var ready: [Chunk] = []
    private var head = 0
    private(set) var offset = 0
    private var replies = JSONWriter()
    private var events: [Chunk] = []
    /// How many chunks have been in front of `ready` since the beginning.
    private var passed = 0
    /// From which chunk on (counted from the beginning) which batch of the journal must be stored.
    private var holds: [(from: Int, ticket: UInt64)] = []

    /// Bytes that have not been handed to the kernel.
    private(set) var pendingBytes = 0

    var isEmpty: Bool { pendingBytes == 0 }

    /// Adds one frame to the turn's replies. `body` writes its bytes alone.
    mutating func reply(as encoding: FrameEncoding = .line, _ body: (inout JSONWriter) -> Void) {
        let before = encoding.begin(&replies)
        body(&replies)
        encoding.end(&replies, from: before)
        pendingBytes += replies.bytes.count - before
    }

    /// Adds bytes that are no frame: heads of HTTP, control frames.
    mutating func replyBytes(_ body: (inout JSONWriter) -> Void) {
        let before = replies.bytes.count
        body(&replies)
        pendingBytes += replies.bytes.count - before
    }

    /// Places a patch or a state ahead of the replies that are not sealed yet.
    mutating func place(_ chunk: Chunk) {
        ready.append(chunk)
        pendingBytes += chunk.count
    }

    /// Adds events after the replies that are not sealed yet.
    mutating func addEvents(_ chunk: Chunk) {
        events.append(chunk)
        pendingBytes += chunk.count
    }

    /// Fixes the order of what is there.
    mutating func seal() {
        if !replies.bytes.isEmpty {
            ready.append(Chunk(replies.bytes))
            // A buffer that once held a large reply is let go, so that an idle connection is small.
            if replies.bytes.capacity > Self.keptReplyBytes {
                replies.bytes = []
            } else {
                replies.bytes.removeAll(keepingCapacity: true)
            }
        }
        if !events.isEmpty {
            ready.append(contentsOf: events)
            events.removeAll(keepingCapacity: events.count < 8)
        }
    }

    private static let keptReplyBytes = 1_024

    /// What is sealed, may leave and has not. Its first chunk lacks its first `offset` bytes.
    var waiting: ArraySlice<Chunk> {
        guard let hold = holds.first else { return ready[head...] }
        return ready[head..<max(head, hold.from - passed)]
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
        pendingBytes -= ready[keep...].reduce(0) { $0 + $1.count }
        // What has begun to leave has to leave whole, and it was not held.
        ready.removeSubrange(keep...)
        holds = []
    }

    /// Says that `count` bytes of `waiting` have left.
    mutating func didWrite(_ count: Int) {
        pendingBytes -= count
        var left = count + offset
        while head < ready.count, ready[head].count <= left {
            left -= ready[head].count
            head += 1
        }
        offset = left
        if head == ready.count {
            precondition(left == 0, "more bytes reported as written than were waiting")
            passed += ready.count
            if ready.capacity > 8 { ready = [] } else { ready.removeAll(keepingCapacity: true) }
            head = 0
        } else if head > 64 {
            ready.removeFirst(head)
            passed += head
            head = 0
        }
    }

    /// Hands over the first waiting chunks, about `limit` bytes, to be written as the other side
    /// reads. They count as pending until `didWrite`.
    func first(_ limit: Int) -> (chunks: ArraySlice<Chunk>, bytes: Int) {
        var bytes = -offset
        var end = head
        let last = waiting.endIndex
        while end < last, bytes < limit {
            bytes += ready[end].count
            end += 1
        }
        return (ready[head..<end], bytes)
    }
}
