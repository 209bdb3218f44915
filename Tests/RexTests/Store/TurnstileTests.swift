import Synchronization
import Testing

@testable import Rex

struct TurnstileTests {
    @Test func `a full line is full for others, but not for code that runs as a job`() {
        let entries = Box<[String]>([])
        let turnstile = Turnstile<Int, Int>(limit: 2, worker: 0) { _, _ in }
        var line = Turnstile<Int, Int>.Line()
        #expect(turnstile.enter(1, &line) == .work)
        #expect(turnstile.enter(2, &line) == .left)
        #expect(turnstile.enter(3, &line) == .left)
        #expect(turnstile.enter(4, &line) == .full)
        #expect(line.jobs == [2, 3])
        let full = line
        let other = Turnstile<Int, Int>(limit: 1, worker: 0) { job, _ in
            var line = full
            let entry = turnstile.enter(job, &line)
            entries.value.withLock { $0.append("\(entry)") }
        }
        other.submit(5)
        #expect(entries.value.withLock { $0 } == ["left"])
    }

    @Test func `jobs are done in order, those from inside behind`() {
        let notes = Notebook()
        let cell = Box<Turnstile<Int, [Int]>?>(nil)
        let turnstile = Turnstile<Int, [Int]>(limit: 10, worker: []) { job, done in
            if job < 4 {
                cell.value.withLock { $0 }?.submit(job * 2)
                cell.value.withLock { $0 }?.submit(job * 2 + 1)
            }
            done.append(job)
            notes.write("\(done)")
        }
        cell.value.withLock { $0 = turnstile }
        turnstile.submit(1)
        cell.value.withLock { $0 = nil }
        #expect(notes.lines.last == "[1, 2, 3, 4, 5, 6, 7]")
    }

    @Test func `a task that is begun in a job is not part of it`() async {
        let turnstile = Turnstile<Int, Int>(limit: 1, worker: 0) { _, _ in }
        var line = Turnstile<Int, Int>.Line()
        for job in 1...2 { _ = turnstile.enter(job, &line) }
        let full = line
        let task = Box<Task<String, Never>?>(nil)
        let enter: @Sendable () -> String = {
            var line = full
            return "\(turnstile.enter(3, &line))"
        }
        let other = Turnstile<Int, Int>(limit: 1, worker: 0) { _, _ in
            #expect(enter() == "left")
            task.value.withLock { $0 = Task { enter() } }
        }
        other.submit(5)
        #expect(await task.value.withLock { $0 }?.value == "full")
    }
}
