/// What is due when: a binary heap of deadlines on one clock, so that one timer serves them all.
///
/// Cancelling is the owner's business: an entry that is no longer wanted comes out and is ignored.
struct DeadlineQueue<Item> {
    private var heap: [(time: UInt64, order: UInt64, item: Item)] = []
    /// How many were added so far: the age of a deadline.
    private(set) var order: UInt64 = 0

    var count: Int { heap.count }

    /// The earliest deadline, in the clock's milliseconds.
    var next: UInt64? { heap.first?.time }

    /// Adds a deadline. O(log n).
    mutating func add(_ item: Item, at time: UInt64) {
        order += 1
        heap.append((time, order, item))
        var child = heap.count - 1
        while child > 0 {
            let parent = (child - 1) / 2
            guard isBefore(child, parent) else { break }
            heap.swapAt(child, parent)
            child = parent
        }
    }

    /// Takes out the earliest entry if it is due; equal times in order of arrival. O(log n).
    ///
    /// - Parameter age: the value of `order` before; nil is returned at one that was added since.
    mutating func takeDue(at now: UInt64, addedBy age: UInt64 = .max) -> Item? {
        guard let first = heap.first, first.time <= now, first.order <= age else { return nil }
        heap.swapAt(0, heap.count - 1)
        heap.removeLast()
        var parent = 0
        while true {
            var least = parent
            for child in [2 * parent + 1, 2 * parent + 2]
            where child < heap.count && isBefore(child, least) { least = child }
            if least == parent { break }
            heap.swapAt(parent, least)
            parent = least
        }
        return first.item
    }

    private func isBefore(_ a: Int, _ b: Int) -> Bool {
        (heap[a].time, heap[a].order) < (heap[b].time, heap[b].order)
    }
}
