import RexLoop

/// What has arrived and waits to be taken, in order: bounded, for one taker at a time.
///
/// The bound is soft by one read: whoever fills the box looks at `isFull` and stops reading, and
/// `onRoom` says when to read on. Nothing is ever dropped.
@ClientLoop final class Mailbox<Element: Sendable> {
    private var items: [(element: Element, bytes: Int)] = []
    private var head = 0
    private var bytes = 0
    private var ending: Result<Element?, ConnectionError>?
    private var waiter: Waiter?
    private var tickets = 0

    private typealias Waiting = CheckedContinuation<Result<Element?, ConnectionError>, Never>

    private struct Waiter {
        let ticket: Int
        let continuation: Waiting
        let timer: LoopTimer?
    }

    /// Called when a full box has become half empty.
    var onRoom: (() -> Void)?
    private var wasFull = false

    /// Elements that wait.
    var count: Int { items.count - head }

    /// True at the limit of elements or of bytes, until half of them are taken.
    var isFull: Bool { wasFull }

    /// Adds an element of so many bytes; dropped only when the box has been ended.
    func put(_ element: Element, bytes size: Int) {
        guard ending == nil else { return }
        if let waiter {
            self.waiter = nil
            waiter.timer?.close()
            waiter.continuation.resume(returning: .success(element))
            return
        }
        items.append((element, size))
        bytes += size
        if count >= ClientLimits.waitingPushes || bytes >= ClientLimits.waitingPushBytes {
            wasFull = true
        }
    }

    /// No more comes: what waits can still be taken, then `take` gives nil or throws the error.
    func end(_ error: ConnectionError? = nil) {
        guard ending == nil else { return }
        ending = error.map { .failure($0) } ?? .success(nil)
        if let waiter { answer(waiter, ending!) }
    }

    /// Nothing more is wanted: what waits is dropped, and what still comes is too.
    func discard() {
        items = []
        head = 0
        bytes = 0
        wasFull = false
        end()
    }

    /// The next element; waits for one. Nil once the box has been ended and is empty.
    ///
    /// - Parameter timeout: how long to wait; without it for ever.
    func take(within timeout: Duration? = nil) async throws(ConnectionError) -> Element? {
        if let element = pop() { return element }
        if let ending { return try ending.get() }
        precondition(waiter == nil, "two takers of one mailbox")
        tickets += 1
        let ticket = tickets
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { (continuation: Waiting) in
                // The loop may have turned on the way here: what came meanwhile sits in the box.
                if let element = pop() { return continuation.resume(returning: .success(element)) }
                if let ending { return continuation.resume(returning: ending) }
                let timer = timeout.map { duration in
                    let timer = LoopTimer(on: ClientLoop.shared.loop) { [weak self] in
                        self?.giveUp(ticket, .timedOut(after: duration))
                    }
                    timer.arm(after: duration)
                    return timer
                }
                waiter = Waiter(ticket: ticket, continuation: continuation, timer: timer)
                if Task.isCancelled { giveUp(ticket, .cancelled) }
            }
        } onCancel: {
            Task { @ClientLoop in giveUp(ticket, .cancelled) }
        }
        return try result.get()
    }

    private func pop() -> Element? {
        guard head < items.count else { return nil }
        let item = items[head]
        head += 1
        bytes -= item.bytes
        if head == items.count || head >= ClientLimits.waitingPushes {
            items.removeFirst(head)
            head = 0
        }
        if wasFull, count <= ClientLimits.waitingPushes / 2,
            bytes <= ClientLimits.waitingPushBytes / 2
        {
            wasFull = false
            onRoom?()
        }
        return item.element
    }

    private func giveUp(_ ticket: Int, _ error: ConnectionError) {
        guard let waiter, waiter.ticket == ticket else { return }
        answer(waiter, .failure(error))
    }

    private func answer(_ waiter: Waiter, _ result: Result<Element?, ConnectionError>) {
        self.waiter = nil
        waiter.timer?.close()
        waiter.continuation.resume(returning: result)
    }
}
