import Dispatch
import RexLoop
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(1))) struct WorkerTests {
    /// What a worker was given, each time.
    private final class Book: Sendable {
        let rounds = Mutex<[[Int]]>([])
        let isEntered = DispatchSemaphore(value: 0)
        let mayGoOn = DispatchSemaphore(value: 0)

        func take(_ orders: [Int]) {
            isEntered.signal()
            mayGoOn.wait()
            rounds.withLock { $0.append(orders) }
        }
    }

    @Test func whatComesWhileItIsBusyComesAtOnceAndInOrder() {
        let book = Book()
        let worker = Worker(named: "rex-test") { book.take($0) }
        worker.post(1)
        book.isEntered.wait()
        for order in 2...5 { worker.post(order) }
        book.mayGoOn.signal()
        book.isEntered.wait()
        book.mayGoOn.signal()
        worker.post(6)
        book.isEntered.wait()
        book.mayGoOn.signal()
        worker.post(7)
        // It has taken 7, so it is done with what came before.
        book.isEntered.wait()
        #expect(book.rounds.withLock { $0 } == [[1], [2, 3, 4, 5], [6]])
        book.mayGoOn.signal()
    }

    @Test func whatWasPostedIsDoneThoughTheWorkerIsLetGo() {
        let book = Book()
        let isOver = DispatchSemaphore(value: 0)
        var worker: Worker<Int>? = Worker(named: "rex-test") { orders in
            book.take(orders)
            if orders.contains(3) { isOver.signal() }
        }
        worker?.post(1)
        book.isEntered.wait()
        worker?.post(2)
        worker?.post(3)
        worker = nil
        book.mayGoOn.signal()
        book.mayGoOn.signal()
        isOver.wait()
        #expect(book.rounds.withLock { $0 } == [[1], [2, 3]])
    }
}
