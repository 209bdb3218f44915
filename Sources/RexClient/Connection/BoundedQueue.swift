/// A queue between one task that puts and one that takes; who is ahead waits.
@ClientLoop package final class BoundedQueue<Element: Sendable> {
    private let limit: Int
    private var elements: [Element] = []
    private var isEnded = false
    private var putter: CheckedContinuation<Void, Never>?
    private var taker: CheckedContinuation<Void, Never>?

    /// - Parameter limit: elements that may wait.
    package nonisolated init(limit: Int) { self.limit = limit }

    /// Adds an element; waits while the queue is full. False when the taker has ended the queue.
    package func put(_ element: Element) async -> Bool {
        while elements.count >= limit, !isEnded {
            await withCheckedContinuation { continuation in
                if elements.count < limit || isEnded {
                    continuation.resume()
                } else {
                    putter = continuation
                }
            }
        }
        guard !isEnded else { return false }
        elements.append(element)
        wake(&taker)
        return true
    }

    /// The next element; waits for one. Nil at the end.
    package func take() async -> Element? {
        while elements.isEmpty, !isEnded {
            await withCheckedContinuation { continuation in
                if !elements.isEmpty || isEnded {
                    continuation.resume()
                } else {
                    taker = continuation
                }
            }
        }
        guard !elements.isEmpty else { return nil }
        defer { wake(&putter) }
        return elements.removeFirst()
    }

    /// Nothing is put any more; what waits can still be taken. From either side.
    package func end() {
        isEnded = true
        wake(&putter)
        wake(&taker)
    }

    private func wake(_ continuation: inout CheckedContinuation<Void, Never>?) {
        continuation?.resume()
        continuation = nil
    }
}
