import RexLoop
import Synchronization

/// The thread that writes a journal: what the loop hands over is stored there, and the loop is
/// told.
final class JournalWriter: Sendable {
    /// What became of an order.
    enum Report: Sendable {
        /// The batch with this number, and all before it, is stored; what that took, the waiting
        /// for the disk included.
        case stored(UInt64, nanoseconds: UInt64)
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
        case nameClients(Int)
        case close(isCertain: Bool, clients: Int)
    }

    private let worker: Worker<Order>

    /// Starts the thread.
    ///
    /// - Parameter report: called on that thread.
    init(_ journal: any Journal, report: @escaping @Sendable (Report) -> Void) {
        let desk = Desk(journal, report)
        worker = Worker(named: "rex-journal") { desk.follow($0) }
    }

    func write(_ batch: JournalBatch) { worker.post(.write(batch)) }

    /// Tries whether the journal can be written to.
    func probe() { worker.post(.probe) }

    /// Notes how many clients may be named.
    func nameClients(_ count: Int) { worker.post(.nameClients(count)) }

    /// Closes the journal behind everything that was handed over.
    ///
    /// - Parameters:
    ///   - isCertain: nothing that anybody was told is missing.
    ///   - clients: how many were named.
    func close(isCertain: Bool, clients: Int) {
        worker.post(.close(isCertain: isCertain, clients: clients))
    }

    /// What happens on the thread.
    private final class Desk: Sendable {
        private let journal: any Journal
        private let report: @Sendable (Report) -> Void
        /// A write failed. What comes before the loop has heard of it is of no use any more.
        private let hasFailed = Atomic(false)

        init(_ journal: any Journal, _ report: @escaping @Sendable (Report) -> Void) {
            self.journal = journal
            self.report = report
        }

        /// All batches that have come while one was being written are one transaction.
        func follow(_ orders: [Order]) {
            var batches: [JournalBatch] = []
            for order in orders {
                if case .write(let next) = order {
                    batches.append(next)
                    continue
                }
                write(batches)
                batches = []
                switch order {
                case .write: break
                case .probe: probe()
                // Where it does not go, the disk has failed, and that is said elsewhere.
                case .nameClients(let count): try? journal.setClientsNamed(count)
                case .close(let isCertain, let clients):
                    if isCertain {
                        try? journal.setUncertain(false)
                        try? journal.setClientsNamed(clients)
                    }
                    journal.close()
                    report(.closed)
                }
            }
            write(batches)
        }

        private func write(_ batches: [JournalBatch]) {
            guard let last = batches.last, !hasFailed.load(ordering: .relaxed) else { return }
            do throws(JournalError) {
                let began = Loop.nanoseconds
                try journal.write(batches)
                report(.stored(last.ticket, nanoseconds: Loop.nanoseconds - began))
            } catch {
                hasFailed.store(true, ordering: .relaxed)
                report(.failed(last.ticket, error))
            }
        }

        private func probe() {
            do throws(JournalError) {
                try journal.tryWriting()
                hasFailed.store(false, ordering: .relaxed)
                report(.recovered)
            } catch {
                report(.stillFailing(error))
            }
        }
    }
}
