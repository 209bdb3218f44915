import RexLoop

/// Events of one connection that wait behind its outbox, because nobody takes what is in there.
///
/// Each listener has a row of its own. Over the limit the row with more than its share loses its
/// oldest, so that a flood on one topic costs no other its events. What is lost is counted in its
/// place: once for each listener, however much it was.
final class EventBacklog {
    /// What leaves, in order.
    enum Item {
        case events(Chunk)
        /// So many events of a listener are missing here.
        case dropped(listener: Int, count: Int)
    }

    private struct Entry {
        var order = 0
        var chunk = Entry.nothing
        var events = 0

        private static let nothing = Chunk([])
    }

    private struct Row {
        let listener: Int
        /// It wants no gaps: its connection is closed instead.
        let closes: Bool
        var entries: [Entry] = []
        var head = 0
        var bytes = 0
        var lost = 0
        var lostOrder = 0

        var count: Int { entries.count - head }

        mutating func takeFirst() -> Entry {
            let entry = entries[head]
            // Not kept until the row is made shorter.
            entries[head] = Entry()
            head += 1
            bytes -= entry.chunk.count
            if head > 64, head > entries.count / 2 {
                entries.removeFirst(head)
                head = 0
            }
            return entry
        }
    }

    private var rows: [Row] = []
    /// Places in `rows` by the numbers of listeners.
    private var places: [Int: Int] = [:]
    /// The row that lost something last, and does again while it has more than its share.
    private var hand = 0
    private var lastOrder = 0
    private let ledger: OutboxLedger

    /// Bytes that wait.
    private(set) var bytes = 0
    /// Chunks that wait.
    private var count = 0

    init(_ ledger: OutboxLedger) { self.ledger = ledger }

    /// Adds events of a listener, and returns how many of this or another one were lost for them;
    /// nil where one would have lost some that is to be closed instead. What came last is never
    /// lost, so that more than `limit` wait only where that alone is more.
    ///
    /// O(1), amortized, while one listener is the cause; at worst O(listeners) for each loss.
    func add(
        _ chunk: Chunk, events: Int, for listener: Int, closes: Bool, limit: Int
    ) -> Int? {
        let place = place(of: listener, closes)
        lastOrder += 1
        rows[place].entries.append(Entry(order: lastOrder, chunk: chunk, events: events))
        rows[place].bytes += chunk.count
        ledger.enter(chunk)
        bytes += chunk.count
        count += 1
        var lost = 0
        while bytes > limit, count > 1 {
            let victim = victim(sparing: place)
            guard !rows[victim].closes else { return nil }
            lost += loseFirst(of: victim)
        }
        return lost
    }

    private func place(of listener: Int, _ closes: Bool) -> Int {
        if let place = places[listener] { return place }
        rows.append(Row(listener: listener, closes: closes))
        places[listener] = rows.count - 1
        return rows.count - 1
    }

    /// The row that loses next: one with its share or more, if it has anything besides the newest.
    private func victim(sparing newest: Int) -> Int {
        let share = bytes / rows.count
        func canLose(_ row: Int) -> Bool { rows[row].count > (row == newest ? 1 : 0) }
        for _ in rows {
            if canLose(hand), rows[hand].bytes >= share { return hand }
            hand = (hand + 1) % rows.count
        }
        return rows.indices.first(where: canLose)!
    }

    private func loseFirst(of place: Int) -> Int {
        let entry = rows[place].takeFirst()
        ledger.leave(entry.chunk)
        bytes -= entry.chunk.count
        count -= 1
        rows[place].lost += entry.events
        rows[place].lostOrder = entry.order
        return entry.events
    }

    /// Loses everything that waits, and returns how many events that were.
    func loseAll() -> Int {
        var lost = 0
        for place in rows.indices {
            while rows[place].count > 0 { lost += loseFirst(of: place) }
        }
        return lost
    }

    /// Takes everything out, in the order in which it came. A gap stands where the newest event of
    /// it stood, which is before all that is left of that listener.
    func takeAll() -> [Item] {
        var items: [(order: Int, item: Item)] = []
        for row in rows {
            if row.lost > 0 {
                items.append((row.lostOrder, .dropped(listener: row.listener, count: row.lost)))
            }
            for entry in row.entries[row.head...] {
                items.append((entry.order, .events(entry.chunk)))
                ledger.leave(entry.chunk)
            }
        }
        rows = []
        places = [:]
        hand = 0
        bytes = 0
        count = 0
        return items.sorted { $0.order < $1.order }.map(\.item)
    }

    /// The memory that would be free without it. O(what waits).
    var share: Int {
        rows.reduce(0) { $0 + $1.entries[$1.head...].reduce(0) { $0 + $1.chunk.share } }
    }
}
