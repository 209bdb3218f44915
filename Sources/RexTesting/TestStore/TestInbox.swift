import Rex
import Synchronization

/// What running effects have to say, until a test hears it.
final class TestInbox<Action: Sendable>: Sendable {
    private struct Letters {
        var events: [EffectEvent<Action>] = []
        var waiter: CheckedContinuation<Void, Never>?
    }

    private let letters = Mutex(Letters())

    /// Puts an event in, and wakes whoever waits.
    func post(_ event: EffectEvent<Action>) {
        let waiter = letters.withLock { letters in
            letters.events.append(event)
            return letters.waiter.take()
        }
        waiter?.resume()
    }

    /// What came since the last time.
    func take() -> [EffectEvent<Action>] {
        letters.withLock { letters in
            defer { letters.events = [] }
            return letters.events
        }
    }

    /// Returns when something is there, or the time has come.
    func wait(until deadline: ContinuousClock.Instant) async {
        let alarm = Task.detached { [self] in
            try? await ContinuousClock().sleep(until: deadline)
            wake()
        }
        await withCheckedContinuation { continuation in
            let isAlreadyThere = letters.withLock { letters in
                if !letters.events.isEmpty || ContinuousClock.now >= deadline { return true }
                letters.waiter = continuation
                return false
            }
            if isAlreadyThere { continuation.resume() }
        }
        alarm.cancel()
    }

    private func wake() {
        letters.withLock { $0.waiter.take() }?.resume()
    }
}
