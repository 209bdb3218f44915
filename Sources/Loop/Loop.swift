import CUV
import Glibc
import Synchronization

/// One thread's event loop (libuv) that is also a Swift executor.
///
/// Code isolated to an actor that returns this loop as its executor runs on the loop's thread,
/// between the loop's callbacks, without a lock and without a hop. It is no task executor: a job
/// that ran with one would be put into the queue again at each `await` on the same actor.
///
/// A *turn* is one trip round the loop: callbacks for what arrived, due timers, then `onTurnEnd`,
/// then the wait for more. Everything here except `enqueue`, `wake` and `stop` may be used on the
/// loop's thread only (or before `run` on the thread that will run it).
public final class Loop: SerialExecutor, @unchecked Sendable {
    let uv: UnsafeMutablePointer<uv_loop_t>
    private let async: UnsafeMutablePointer<uv_async_t>
    private let prepare: UnsafeMutablePointer<uv_prepare_t>
    private let jobs = Mutex<[UnownedJob]>([])
    private let owner = Atomic<UInt>(0)
    private var running: [UnownedJob] = []
    private var wakeups: [() -> Void] = []
    private let stopping = Atomic<Bool>(false)
    private let orphans = Mutex<[LoopBound<LoopHandle>]>([])

    /// Bytes that one read may bring. Shared by all sockets of the loop: a read callback follows
    /// its allocation at once, so one buffer serves them all and an idle connection owns none.
    static let readBufferBytes = 256 * 1024
    let readBuffer = UnsafeMutableRawBufferPointer.allocate(
        byteCount: Loop.readBufferBytes, alignment: 64)

    /// Called at the end of every turn, before the loop waits. Set once by the owner.
    public var onTurnEnd: (() -> Void)?

    /// Makes a loop; nothing runs until `run`. SIGPIPE is ignored for the whole process from here
    /// on, because a write to a closed socket must be an error and not the end.
    public init() {
        uv = .allocate(capacity: 1)
        async = .allocate(capacity: 1)
        prepare = .allocate(capacity: 1)
        signal(SIGPIPE, SIG_IGN)
        precondition(uv_loop_init(uv) == 0, "libuv could not make a loop")
        let me = Unmanaged.passUnretained(self).toOpaque()
        uv_async_init(uv, async) { Loop.of($0!.pointee.data).didWake() }
        async.pointee.data = me
        uv_prepare_init(uv, prepare)
        prepare.pointee.data = me
        uv_prepare_start(prepare) { Loop.of($0!.pointee.data).endTurn() }
        uv_unref(UnsafeMutableRawPointer(prepare).assumingMemoryBound(to: uv_handle_t.self))
    }

    private static func of(_ data: UnsafeMutableRawPointer?) -> Loop {
        Unmanaged<Loop>.fromOpaque(data!).takeUnretainedValue()
    }

    private func endTurn() {
        onTurnEnd?()
        calendarDue = 0
        wokenAt = 0
    }

    /// Runs on the calling thread until `stop`, then closes every handle that is still open and
    /// returns. A loop runs once.
    public func run() {
        owner.store(UInt(pthread_self()), ordering: .releasing)
        while !stopping.load(ordering: .acquiring) { uv_run(uv, UV_RUN_ONCE) }
        closeEverything()
        owner.store(0, ordering: .releasing)
    }

    /// Ends `run` after the present turn. From any thread.
    public func stop() {
        stopping.store(true, ordering: .releasing)
        uv_async_send(async)
    }

    /// Milliseconds of the loop's monotonic clock, taken once per turn (no system call).
    public var milliseconds: UInt64 { uv_now(uv) }

    /// Nanoseconds of the system's monotonic clock, read now.
    public static var nanoseconds: UInt64 { uv_hrtime() }

    /// Nanoseconds of the system's monotonic clock, read now; `calendarNanoseconds` goes by it.
    public func readClock() -> UInt64 {
        lastReading = uv_hrtime()
        return lastReading
    }

    /// Nanoseconds since 1970 by the system's calendar. It is looked at once a turn, and again when
    /// a millisecond has passed by `readClock`.
    public var calendarNanoseconds: Int64 {
        if lastReading < calendarDue { return calendar }
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        calendar = Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
        calendarDue = lastReading + 1_000_000
        return calendar
    }

    private var lastReading: UInt64 = 0
    private var calendar: Int64 = 0
    /// From which reading on the calendar is looked at again.
    private var calendarDue: UInt64 = 0

    /// Nanoseconds of the clock when what other threads have sent was looked at in this turn; 0
    /// where it was not.
    public private(set) var wokenAt: UInt64 = 0

    /// True on the thread that is in `run`.
    public var isCurrent: Bool { owner.load(ordering: .acquiring) == UInt(pthread_self()) }

    // MARK: Wake-ups

    /// Makes the loop turn soon, from any thread; many calls before that turn are one wake-up.
    public func wake() { uv_async_send(async) }

    /// Adds something to run at each wake-up; for inboxes that other threads fill.
    public func onWake(_ body: @escaping () -> Void) { wakeups.append(body) }

    private func didWake() {
        wokenAt = Self.nanoseconds
        for body in wakeups { body() }
        for orphan in orphans.withLock({ list in
            defer { list = [] }
            return list
        }) { orphan.value.closeHandle() }
        jobs.withLock { swap(&running, &$0) }
        for job in running { job.runSynchronously(on: asUnownedSerialExecutor()) }
        running.removeAll(keepingCapacity: true)
    }

    /// Closes a handle whose object's user let go of it, on whatever thread that was.
    func close(_ orphan: LoopHandle) {
        // Before the loop runs, its one user is on this thread; after it, every handle is closed.
        if isCurrent || owner.load(ordering: .acquiring) == 0 {
            orphan.closeHandle()
        } else {
            let orphan = LoopBound(orphan)
            orphans.withLock { $0.append(orphan) }
            uv_async_send(async)
        }
    }

    // MARK: Executor

    /// Runs the job on the loop's thread in one of its next turns. From any thread; first in, first
    /// out.
    public func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let first = jobs.withLock {
            $0.append(job)
            return $0.count == 1
        }
        if first { uv_async_send(async) }
    }

    public func asUnownedSerialExecutor() -> UnownedSerialExecutor {
        UnownedSerialExecutor(ordinary: self)
    }

    /// Traps unless called on the loop's thread: what `assumeIsolated` asks in a libuv callback.
    public func checkIsolated() {
        precondition(isCurrent, "this code belongs to the loop's thread")
    }

    public func isIsolatingCurrentContext() -> Bool? { isCurrent }

    // MARK: The end

    private func closeEverything() {
        uv_walk(
            uv,
            { handle, _ in
                if uv_is_closing(handle) == 0 { LoopHandle.close(handle!) }
            }, nil)
        while uv_run(uv, UV_RUN_DEFAULT) != 0 {}
        onTurnEnd = nil
        wakeups = []
    }

    deinit {
        // A loop that never ran still has its two handles open.
        closeEverything()
        uv_loop_close(uv)
        uv.deallocate()
        async.deallocate()
        prepare.deallocate()
        readBuffer.deallocate()
    }
}

/// What the handles of the loop have in common: the object that stands behind one.
///
/// Ownership: the libuv handle holds one retain of its object from `adopt` on; the close callback
/// gives it back, and nothing else does. So an object lives at least until its handle is closed.
class LoopHandle {
    let loop: Loop
    let handle: UnsafeMutablePointer<uv_handle_t>
    private(set) var isClosing = false

    init(bytes: Int, on loop: Loop) {
        self.loop = loop
        let raw = UnsafeMutableRawPointer.allocate(byteCount: bytes, alignment: 16)
        handle = raw.bindMemory(to: uv_handle_t.self, capacity: 1)
    }

    /// To be called right after the handle's `uv_…_init`.
    func adopt() { handle.pointee.data = Unmanaged.passRetained(self).toOpaque() }

    static func of<T: LoopHandle>(_ data: UnsafeMutableRawPointer?, as type: T.Type) -> T {
        let object = Unmanaged<LoopHandle>.fromOpaque(data!).takeUnretainedValue()
        return unsafeDowncast(object, to: T.self)
    }

    /// Closes once; later calls do nothing. Nothing is called on the object after `didClose`.
    func closeHandle() {
        guard !isClosing else { return }
        isClosing = true
        uv_close(handle) { handle in
            let object = Unmanaged<LoopHandle>.fromOpaque(handle!.pointee.data)
            object.takeUnretainedValue().didClose()
            object.release()
        }
    }

    /// The handle is closed: the last call.
    func didClose() {}

    /// For the `deinit` of the object that the program holds, which may be anywhere.
    func abandon() { loop.close(self) }

    /// Closes a handle found by walking the loop, whatever stands behind it.
    static func close(_ handle: UnsafeMutablePointer<uv_handle_t>) {
        switch uv_handle_get_type(handle) {
        case UV_ASYNC, UV_PREPARE: uv_close(handle, nil)
        default: LoopHandle.of(handle.pointee.data, as: LoopHandle.self).closeHandle()
        }
    }

    deinit { UnsafeMutableRawPointer(handle).deallocate() }
}
