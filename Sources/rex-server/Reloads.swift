import Synchronization

/// Work that is wanted again and again, done one time after the other: whoever wants it last has
/// it done with what is there then. Several wishes that come while it is done are one.
final class Reloads: Sendable {
    private struct State {
        var isRunning = false
        var isWanted = false
    }

    private let state = Mutex(State())
    private let work: @Sendable () async -> Void

    init(_ work: @escaping @Sendable () async -> Void) { self.work = work }

    /// Has the work done, from its beginning, once more.
    func want() {
        let isIdle = state.withLock { state in
            state.isWanted = true
            defer { state.isRunning = true }
            return !state.isRunning
        }
        if isIdle { Task { while begins() { await work() } } }
    }

    private func begins() -> Bool {
        state.withLock { state in
            state.isRunning = state.isWanted
            state.isWanted = false
            return state.isRunning
        }
    }
}
