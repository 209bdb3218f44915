/// The idempotency keys of one store: the answer that each key got, for as long as it is
/// remembered.
///
/// Bounded in number (the oldest goes) and in time.
struct KeyTable {
    /// Whose key: all clients without a name are one user.
    struct Key: Hashable {
        let user: String?
        let text: String

        /// By bytes: texts that only look alike are two keys.
        static func == (a: Key, b: Key) -> Bool {
            ExactName(a.text) == ExactName(b.text)
                && a.user.map { ExactName($0) } == b.user.map { ExactName($0) }
        }

        func hash(into hasher: inout Hasher) {
            hasher.combine(ExactName(text))
        }
    }

    /// What the first dispatch with the key got.
    enum Answer: Equatable {
        case ack(revision: Int)
        case rejected(message: String)
    }

    struct Record {
        /// SHA-256 of the canonical form of the action.
        let actionHash: [UInt8]
        let answer: Answer
        fileprivate let expires: UInt64
        fileprivate let order: UInt64
    }

    private var records: [Key: Record] = [:]
    private var queue: [(key: Key, order: UInt64)] = []
    private var head = 0
    private var order: UInt64 = 0
    private let limit: Int
    private let milliseconds: UInt64

    /// - Parameter milliseconds: how long a key is remembered.
    init(limit: Int, milliseconds: Int) {
        self.limit = limit
        self.milliseconds = UInt64(max(0, milliseconds))
    }

    var count: Int { records.count }

    /// The record of a key that is still remembered at `now` (the clock's milliseconds).
    func record(of key: Key, at now: UInt64) -> Record? {
        guard let record = records[key], record.expires > now else { return nil }
        return record
    }

    /// Remembers the answer to the first dispatch with a key.
    mutating func remember(_ key: Key, actionHash: [UInt8], answer: Answer, at now: UInt64) {
        forget(at: now)
        order += 1
        records[key] = Record(
            actionHash: actionHash, answer: answer, expires: now + milliseconds, order: order)
        queue.append((key, order))
    }

    /// Remembers what a journal holds; the oldest first.
    mutating func restore(
        _ key: Key, actionHash: [UInt8], answer: Answer, at now: UInt64, left: UInt64
    ) {
        forget(at: now)
        order += 1
        records[key] = Record(
            actionHash: actionHash, answer: answer, expires: now + min(left, milliseconds),
            order: order)
        queue.append((key, order))
    }

    /// Forgets the answers to commits that are no more.
    mutating func forget(commitsAfter revision: Int) {
        records = records.filter {
            if case .ack(let acked) = $0.value.answer { return acked <= revision }
            return true
        }
    }

    /// Lets go what is over time, and the oldest where the table is full.
    private mutating func forget(at now: UInt64) {
        while head < queue.count {
            let (key, order) = queue[head]
            if let record = records[key], record.order == order {
                guard record.expires <= now || records.count >= limit else { break }
                records[key] = nil
            }
            head += 1
        }
        if head > 1_024, head * 2 > queue.count {
            queue.removeFirst(head)
            head = 0
        }
    }
}
