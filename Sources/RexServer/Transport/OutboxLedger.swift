import RexLoop

/// The bytes that all outboxes of a server hold, as a running sum. A chunk that many of them share
/// counts once: it is one piece of memory.
final class OutboxLedger {
    /// Bytes of chunks that some outbox holds, and those that a cipher has made of them.
    private(set) var bytes = 0

    /// One more row holds a chunk.
    func enter(_ chunk: Chunk) {
        if chunk.gainHolder() == 1 { bytes += chunk.count }
    }

    /// One row less holds it.
    func leave(_ chunk: Chunk) {
        if chunk.loseHolder() == 0 { bytes -= chunk.count }
    }

    /// Bytes of one connection that are in no chunk of an outbox became more or fewer.
    func change(by difference: Int) { bytes += difference }
}

extension Chunk {
    /// The part of its memory that one of its holders has to answer for.
    var share: Int { count / max(1, holders) }
}
