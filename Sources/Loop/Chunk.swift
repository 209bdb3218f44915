/// Bytes on their way out, shared by every connection that sends them.
///
/// One allocation, filled before anybody else sees it and never changed after: it is counted, not
/// copied, when a thousand outboxes hold it, and its address stays good while a write is under way.
public final class Chunk: @unchecked Sendable {
    private let memory: UnsafeMutableRawPointer

    /// The number of bytes.
    public let count: Int

    /// How many rows hold it, as far as they count themselves here, so that what they share is
    /// counted once. Only on the thread that writes it.
    public private(set) var holders = 0

    /// One more row holds it; returns how many do.
    public func gainHolder() -> Int {
        holders += 1
        return holders
    }

    /// One row less holds it; returns how many still do.
    public func loseHolder() -> Int {
        holders -= 1
        return holders
    }

    /// Copies `bytes`.
    public init(_ bytes: [UInt8]) {
        count = bytes.count
        memory = .allocate(byteCount: max(1, bytes.count), alignment: 1)
        bytes.withUnsafeBytes {
            if let base = $0.baseAddress { memory.copyMemory(from: base, byteCount: $0.count) }
        }
    }

    /// Copies `head` and `tail`, one after the other.
    public init(_ head: [UInt8], _ tail: [UInt8]) {
        count = head.count + tail.count
        memory = .allocate(byteCount: max(1, count), alignment: 1)
        head.withUnsafeBytes {
            if let base = $0.baseAddress { memory.copyMemory(from: base, byteCount: $0.count) }
        }
        tail.withUnsafeBytes {
            if let base = $0.baseAddress {
                (memory + head.count).copyMemory(from: base, byteCount: $0.count)
            }
        }
    }

    /// The bytes, good while the chunk lives.
    public var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: memory, count: count) }

    deinit { memory.deallocate() }
}
