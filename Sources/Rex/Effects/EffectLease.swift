import Synchronization

/// What the task of an effect and its store share: whether anybody still listens, and how much of
/// what was sent has not been taken up.
final class EffectLease: Sendable {
    static let inFlightLimit = 1_024

    private struct Account {
        var inFlight = 0
        var isOver = false
        var waiting: [CheckedContinuation<Void, Never>] = []

        var hasRoom: Bool { isOver || inFlight < inFlightLimit }
    }

    private let account = Mutex(Account())

    var isOver: Bool { account.withLock { $0.isOver } }

    /// Notes a signal on its way; false where nobody listens any more.
    func willSend() -> Bool {
        account.withLock { account in
            if account.isOver { return false }
            account.inFlight += 1
            return true
        }
    }

    /// Notes that the store has taken up a signal.
    func didReceive() {
        resume { $0.inFlight -= 1 }
    }

    /// Nobody listens any more.
    func end() {
        resume { $0.isOver = true }
    }

    func room() async {
        await withCheckedContinuation { continuation in
            let hasRoom = account.withLock { account in
                if !account.hasRoom { account.waiting.append(continuation) }
                return account.hasRoom
            }
            if hasRoom { continuation.resume() }
        }
    }

    private func resume(after change: (inout Account) -> Void) {
        let woken = account.withLock { account -> [CheckedContinuation<Void, Never>] in
            change(&account)
            if account.waiting.isEmpty || !account.hasRoom { return [] }
            defer { account.waiting = [] }
            return account.waiting
        }
        for continuation in woken { continuation.resume() }
    }
}
