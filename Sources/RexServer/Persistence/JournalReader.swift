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

    private enum Order: Sendable {
        case ask(Question, store: String, connection: Int)
        case close
    }

    private let thread: LoopThread
    private let orders: Inbox<Order>

    /// Starts the thread. Reading does not wait for writing: `journal` is best a second opening of
    /// the same file.
    ///
    /// - Parameters:
    ///   - answer: called on that thread.
    ///   - closed: called there, last, when the journal is closed.
    init(
        _ journal: any Journal, answer: @escaping @Sendable (Answer) -> Void,
        closed: @escaping @Sendable () -> Void = {}
    ) {
        var made: Inbox<Order>?
        thread = LoopThread(named: "rex-past") { loop in
            made = Inbox<Order>(on: loop) { order in
                switch order {
                case .close:
                    journal.close()
                    closed()
                case .ask(let question, let store, let connection):
                    answer(
                        Answer(
                            connection: connection, store: store,
                            result: Result { try question(journal) }))
                }
            }
        }
        guard let made else { preconditionFailure("a thread was started without its inbox") }
        orders = made
    }

    deinit { thread.stop() }

    /// At most one at a time for each connection.
    func ask(_ question: @escaping Question, of store: String, for connection: Int) {
        orders.post(.ask(question, store: store, connection: connection))
    }

    /// Closes the journal behind what was asked; nothing may be asked afterwards.
    func close() { orders.post(.close) }
}
