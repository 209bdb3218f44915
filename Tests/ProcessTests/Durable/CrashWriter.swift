import Foundation
import RexProtocol
import RexTesting
import Synchronization

/// A client that writes as fast as it is answered, each action under a key of its own, and that
/// knows what it was promised: across crashes of the server it asks again for what has no answer.
final class CrashWriter: Sendable {
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    private struct Book {
        /// Sent and not answered, in the order of sending.
        var open: [String] = []
        /// Acknowledged, with their revisions.
        var acked: [(key: String, rev: Int)] = []
        var count = 0
    }

    let name: String
    private let book = Mutex(Book())
    /// Actions without an answer that it may have.
    private static let window = 16

    init(name: String) { self.name = name }

    /// Keys of the actions that were acknowledged, in order.
    var acked: [String] { book.withLock { $0.acked.map(\.key) } }

    /// Begins a new list, for what was found to be as it should.
    func forgetAcked() { book.withLock { $0.acked = [] } }

    private func line(_ key: String) -> String {
        "{\"op\":\"dispatch\",\"id\":\"\(key)\",\"key\":\"\(key)\",\"store\":\"doc\",\"action\":"
            + "{\"type\":\"append\",\"payload\":{\"path\":\"/\(name)\",\"value\":\"\(key)\"}}}\n"
    }

    /// Asks again for everything that has no answer yet, until all of it has.
    func settle(at port: UInt16) throws {
        let client = try LineClient(port: port)
        let keys = book.withLock { $0.open }
        try client.send(keys.map(line).joined())
        for _ in keys { try take(client.frame()) }
    }

    /// Writes until the connection ends.
    ///
    /// - Parameters:
    ///   - most: or until so many acks have come.
    ///   - didAck: called for each ack.
    func run(at port: UInt16, most: Int = .max, didAck: () -> Void = {}) {
        guard let client = try? LineClient(port: port) else { return }
        do {
            while acked.count < most {
                let fresh = nextKeys()
                if !fresh.isEmpty { try client.send(fresh.map(line).joined()) }
                try take(client.frame())
                didAck()
            }
        } catch is LineClient.Failure {
            // The server is gone.
        } catch {
            book.withLock { $0.open.append("wrong answer: \(error)") }
        }
    }

    private func nextKeys() -> [String] {
        book.withLock { book in
            let keys = (0..<(Self.window - book.open.count)).map { "\(name)-\(book.count + $0)" }
            book.count += keys.count
            book.open += keys
            return keys
        }
    }

    private func take(_ frame: JSONValue) throws {
        guard frame.op == "ack", let key = frame["id"]?.string, let rev = frame["rev"]?.int else {
            throw Failure(description: "\(frame)")
        }
        try book.withLock { book in
            guard book.open.first == key else {
                throw Failure(description: "\(frame) came before \(book.open.first ?? "nothing")")
            }
            book.open.removeFirst()
            book.acked.append((key, rev))
        }
    }
}
