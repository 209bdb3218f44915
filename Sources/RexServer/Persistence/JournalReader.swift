import RexLoop

/// The thread that reads a journal: what memory does not hold any more is looked up there, and the
/// loop is told.
final class JournalReader: Sendable {
    /// What is to be looked up, on that thread, and what is known afterwards.
    typealias Question = @Sendable (any Journal) throws -> any Sendable
    /// What came of it, with what the asker said of itself.
    struct Answer: Sendable {
        let connection: Int
        let store: String
        let result: Result<any Sendable, any Error>
    }

    private struct Order: Sendable {
        let connection: Int
        let store: String
        let question: Question
    }

    private let thread: LoopThread
    private let orders: Inbox<Order>

    /// Starts the thread. Reading does not wait for writing: `journal` is best a second opening of
    /// the same file.
    ///
    /// - Parameter answer: called on that thread.
    init(_ journal: any Journal, answer: @escaping @Sendable (Answer) -> Void) {
        var made: Inbox<Order>?
        thread = LoopThread(named: "rex-past") { loop in
            made = Inbox<Order>(on: loop) { order in
                answer(
                    Answer(
                        connection: order.connection, store: order.store,
                        result: Result { try order.question(journal) }))
            }
        }
        guard let made else { preconditionFailure("a thread was started without its inbox") }
        orders = made
    }

    deinit { thread.stop() }

    /// At most one at a time for each connection.
    func ask(_ question: @escaping Question, of store: String, for connection: Int) {
        orders.post(Order(connection: connection, store: store, question: question))
    }
}
