import Synchronization

/// One worker at a time, and no thread of its own: jobs are done in the order in which they came,
/// by whoever finds nobody at work. So a job that meets no other is done at once, without a hop,
/// and one that is submitted from inside another waits its turn.
///
/// The line is bounded: a thread that finds it full waits for the worker to get on. Code that runs
/// as part of a job cannot wait for itself; it may fill the line to `hardLimit`, and no further.
@usableFromInline
final class Turnstile<Job: Sendable, Worker>: Sendable {
    @usableFromInline
    struct Line: Sendable {
        @usableFromInline var jobs: [Job] = []
        @usableFromInline var isAtWork = false

        @inlinable init() {}
    }

    @usableFromInline let line = Mutex(Line())
    /// Held while jobs are done; only the worker and those who wait for it take it.
    @usableFromInline let worker: Mutex<Worker>
    @usableFromInline let limit: Int
    @usableFromInline let perform: @Sendable (Job, inout Worker) -> Void

    private var hardLimit: Int { limit * 16 }

    @inlinable
    init(
        limit: Int, worker: consuming sending Worker,
        perform: @escaping @Sendable (Job, inout Worker) -> Void
    ) {
        self.limit = limit
        self.worker = Mutex(worker)
        self.perform = perform
    }

    /// Does `job`, and then what came meanwhile; or leaves it to whoever is at work.
    @inlinable
    func submit(_ job: Job) {
        while true {
            switch line.withLock({ enter(job, &$0) }) {
            case .work: return withDuty { work(beginningWith: job) }
            case .left: return
            case .full: worker.withLock { _ in }
            }
        }
    }

    @usableFromInline
    enum Entry { case work, left, full }

    @inlinable
    func enter(_ job: Job, _ line: inout Line) -> Entry {
        if !line.isAtWork {
            line.isAtWork = true
            return .work
        }
        if line.jobs.count >= limit && !mayOverfill(line.jobs.count) { return .full }
        line.jobs.append(job)
        return .left
    }

    /// Whether this code is itself part of a job.
    @usableFromInline
    func mayOverfill(_ count: Int) -> Bool {
        guard Duty.isOn else { return false }
        precondition(
            count < hardLimit,
            "\(hardLimit) jobs wait behind the one being done: it submits without end")
        return true
    }

    @inlinable
    func work(beginningWith job: Job) {
        worker.withLock { perform(job, &$0) }
        while let jobs = nextJobs() {
            worker.withLock { worker in
                for job in jobs { perform(job, &worker) }
            }
        }
    }

    @inlinable
    func nextJobs() -> [Job]? {
        line.withLock { line in
            if line.jobs.isEmpty {
                line.isAtWork = false
                return nil
            }
            let jobs = line.jobs
            line.jobs = []
            return jobs
        }
    }
}

/// Marks code that runs as part of a job, of whatever turnstile.
private enum Duty {
    /// Whose code it is. A task that is begun in a job inherits this, but is another.
    @TaskLocal static var task: TaskMark?

    static var isOn: Bool { task == TaskMark() }
}

/// The task that runs, or that none does.
private struct TaskMark: Sendable, Equatable {
    private let hash: Int?

    init() {
        hash = withUnsafeCurrentTask { $0?.hashValue }
    }
}

@usableFromInline
func withDuty(_ body: () -> Void) {
    Duty.$task.withValue(TaskMark(), operation: body)
}
