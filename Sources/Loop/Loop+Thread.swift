import CUV
import Glibc
import Synchronization

extension Loop {
    /// Runs the loop on a thread of its own, which ends after `stop`.
    ///
    /// - Parameter name: what `top -H` shows; at most 15 bytes.
    public func start(named name: String) {
        LoopThreads.add(self)
        Self.detachThread(named: name) { [self] in
            run()
            LoopThreads.remove(self)
        }
    }

    /// Runs a body on a thread of its own, which ends with it.
    static func detachThread(named name: String, _ body: @escaping @Sendable () -> Void) {
        let start = Start(name: name, body: body)
        var thread = pthread_t()
        let status = pthread_create(
            &thread, nil,
            { argument in
                let start = Unmanaged<Start>.fromOpaque(argument!).takeRetainedValue()
                rex_name_thread(start.name)
                SignalSource.clearInheritedMask()
                start.body()
                return nil
            }, Unmanaged.passRetained(start).toOpaque())
        precondition(status == 0, "no thread \(name) could be made: \(status)")
        pthread_detach(thread)
    }

    private final class Start {
        let name: String
        let body: @Sendable () -> Void
        init(name: String, body: @escaping @Sendable () -> Void) {
            self.name = name
            self.body = body
        }
    }
}

/// The loops that run on threads of their own.
///
/// When the process ends (`exit`, or the return from `main`), libuv takes down what all its loops
/// share; a loop that still turned would abort the process. So they are stopped first.
private enum LoopThreads {
    /// How long the end of the process waits for a loop that is in the middle of a callback.
    private static let exitPatience: Duration = .seconds(1)

    private static let running = Mutex<[ObjectIdentifier: Loop]>([:])
    private static let atExit: Void = { _ = atexit { LoopThreads.endAll() } }()

    static func add(_ loop: Loop) {
        _ = atExit
        running.withLock { $0[ObjectIdentifier(loop)] = loop }
    }

    static func remove(_ loop: Loop) {
        _ = running.withLock { $0.removeValue(forKey: ObjectIdentifier(loop)) }
    }

    /// On the thread that ends the process. Where that is a loop's own, that loop does not turn.
    private static func endAll() {
        let others = running.withLock { $0.values.filter { !$0.isCurrent } }
        for loop in others { loop.stop() }
        let deadline = ContinuousClock.now + exitPatience
        while ContinuousClock.now < deadline,
            running.withLock({ $0.values.contains { !$0.isCurrent } })
        {
            poll(nil, 0, 1)
        }
    }
}
