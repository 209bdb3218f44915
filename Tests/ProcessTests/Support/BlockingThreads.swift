import Dispatch
import Synchronization
import Testing

extension Trait where Self == OwnThreads {
    /// For suites whose tests wait for other processes with blocking calls.
    static var ownThreads: Self { OwnThreads() }
}

/// Runs each test on a thread that may block, so that those of the common pool stay free for the
/// tests that run beside; and only a few at a time, since each starts programs of its own.
struct OwnThreads: SuiteTrait, TestTrait, TestScoping {
    /// Tests that play with programs at one time.
    static let width = 6

    let isRecursive = true

    func provideScope(
        for test: Test, testCase: Test.Case?,
        performing body: @Sendable @concurrent () async throws -> Void
    ) async throws {
        await Gate.shared.enter()
        do {
            try await withTaskExecutorPreference(BlockingThreads.shared) { try await body() }
        } catch {
            Gate.shared.leave()
            throw error
        }
        Gate.shared.leave()
    }
}

/// Threads that may be blocked: the queue makes another where all are.
private final class BlockingThreads: TaskExecutor {
    static let shared = BlockingThreads()
    private let queue = DispatchQueue(label: "process-tests", attributes: .concurrent)

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}

/// Lets so many in; the others wait in the order in which they came.
private final class Gate: Sendable {
    static let shared = Gate()
    private let state = Mutex(
        (free: OwnThreads.width, waiting: [CheckedContinuation<Void, Never>]()))

    func enter() async {
        await withCheckedContinuation { continuation in
            let isOpen = state.withLock { state in
                guard state.free == 0 else {
                    state.free -= 1
                    return true
                }
                state.waiting.append(continuation)
                return false
            }
            if isOpen { continuation.resume() }
        }
    }

    func leave() {
        let next = state.withLock { state -> CheckedContinuation<Void, Never>? in
            guard state.waiting.isEmpty else { return state.waiting.removeFirst() }
            state.free += 1
            return nil
        }
        next?.resume()
    }
}
