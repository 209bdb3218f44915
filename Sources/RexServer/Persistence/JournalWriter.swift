import RexLoop

/// The thread that writes a journal: what the loop hands over is stored there, and the loop is
/// told.
final class JournalWriter: Sendable {
    /// What became of an order.
    enum Report: Sendable {
        /// The batch with this number, and all before it, is stored.
        case stored(UInt64)
        /// The batch with this number is not stored, and nothing of it.
        case failed(UInt64, JournalError)
        /// The journal takes writes again.
        case recovered
        /// It still does not.
        case stillFailing(JournalError)
        /// The journal is closed.
        case closed
    }

    private enum Order: Sendable {
        case write(JournalBatch)
        case probe
        case close(isCertain: Bool)
    }

    private let thread: LoopThread
    private let orders: Inbox<Order>

    /// Starts the thread.
    ///
    /// - Parameter report: called on that thread.
    init(_ journal: any Journal, report: @escaping @Sendable (Report) -> Void) {
        var made: Inbox<Order>?
        thread = LoopThread(named: "rex-journal") { loop in
            made = Inbox<Order>(on: loop) { Self.follow($0, journal, report) }
        }
        guard let made else { preconditionFailure("a thread was started without its inbox") }
        orders = made
    }

    deinit { thread.stop() }

    func write(_ batch: JournalBatch) { orders.post(.write(batch)) }

    /// Tries whether the journal can be written to.
    func probe() { orders.post(.probe) }

    /// Closes the journal behind everything that was handed over.
    ///
    /// - Parameter isCertain: nothing that anybody was told is missing.
    func close(isCertain: Bool) { orders.post(.close(isCertain: isCertain)) }

    private static func follow(
        _ order: Order, _ journal: any Journal, _ report: (Report) -> Void
    ) {
        switch order {
        case .write(let batch):
            do throws(JournalError) {
                try journal.write(batch)
                report(.stored(batch.ticket))
            } catch {
                report(.failed(batch.ticket, error))
            }
        case .probe:
            do throws(JournalError) {
                try journal.tryWriting()
                report(.recovered)
            } catch {
                report(.stillFailing(error))
            }
        case .close(let isCertain):
            if isCertain { try? journal.setUncertain(false) }
            journal.close()
            report(.closed)
        }
    }
}
