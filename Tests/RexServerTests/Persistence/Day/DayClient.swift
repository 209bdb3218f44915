import Foundation
import RexClient
import RexProtocol
import Testing

/// A client that follows the store and remembers what it was promised, across connections.
actor DayClient {
    let name: String
    private var connection: RexConnection?
    private var following: Task<Void, any Error>?
    private(set) var replica: Replica?
    /// Keys that have no answer yet, in order.
    private(set) var open: [String] = []
    /// Revisions that were acknowledged, with their keys.
    private(set) var acked: [String: Int] = [:]
    private var keys = 0

    init(_ name: String) { self.name = name }

    /// Connects, goes on following where it was, and asks again for all that has no answer.
    func connect(_ url: RexURL) async throws {
        let connection = try await RexConnection.open(url, timeout: .seconds(60))
        self.connection = connection
        var subscribe = ClientFrame.Subscribe(store: "day")
        subscribe.since = replica?.position
        let subscription = try await connection.subscribe(subscribe)
        let start = subscription.start
        if replica == nil { replica = Replica(start) } else { try replica?.resume(start) }
        following = Task {
            do {
                for try await frame in subscription.changes { try take(frame) }
            } catch is ConnectionError {
                return
            }
        }
        for key in open { try await add(key: key) }
    }

    private func take(_ frame: ServerFrame) throws {
        switch frame {
        case .patch(let patch): try replica?.apply(patch)
        case .state(let state): try replica?.replace(state)
        default: break
        }
    }

    /// Ends the connection; what it pushed before is taken.
    func disconnect() async throws {
        await connection?.close()
        try await following?.value
        connection = nil
    }

    /// Adds under a fresh key, several at a time, and waits for the answers that come.
    func add(_ count: Int) async {
        for _ in 0..<count {
            keys += 1
            open.append("\(name)-\(keys)")
        }
        guard let connection else { return }
        var replies: [(String, PendingReply)] = []
        for key in open {
            guard let reply = try? await connection.post(addition(key)) else { return }
            replies.append((key, reply))
        }
        for (key, reply) in replies {
            if let frame = try? await reply.frame() { note(frame, key) }
        }
    }

    /// Asks once more for an action that was done: it is not done again.
    func repeatLast() async {
        guard let (key, rev) = acked.max(by: { $0.value < $1.value }), let connection else {
            return
        }
        guard let frame = try? await connection.request(addition(key)) else { return }
        guard case .ack(let ack) = frame else { return }
        #expect(ack.duplicate && ack.rev == rev, "\(key) was done twice")
    }

    private func add(key: String) async throws {
        guard let connection else { return }
        note(try await connection.request(addition(key)), key)
    }

    private func note(_ frame: ServerFrame, _ key: String) {
        guard case .ack(let ack) = frame, let rev = ack.rev else { return }
        open.removeAll { $0 == key }
        acked[key] = rev
    }

    private nonisolated func addition(_ key: String) -> ClientFrame {
        let by = (key.utf8.reduce(0) { ($0 * 31 + Int($1)) % 97 }) + 1
        let payload: JSONValue = ["name": .string(name), "by": .int(by)]
        return frame("add", payload, key: key)
    }

    private nonisolated func frame(_ type: String, _ payload: JSONValue, key: String? = nil)
        -> ClientFrame
    {
        let action = RawJSON(["type": .string(type), "payload": payload])
        var frame = ClientFrame.Dispatch(store: "day", action: .raw(action))
        frame.key = key
        return .dispatch(frame)
    }

    /// Any other action; whether it is done does not matter.
    func dispatch(_ type: String, _ payload: JSONValue) async {
        _ = try? await connection?.request(frame(type, payload))
    }

    /// A step of time travel or a fork; it may be refused.
    func travel(_ kind: Int, to revision: Int) async {
        let frame: ClientFrame =
            switch kind {
            case 0: .undo(.init(store: "day"))
            case 1: .redo(.init(store: "day"))
            case 2: .jump(.init(store: "day", rev: revision))
            default: .fork(.init(store: "day", at: revision, as: "\(name)-\(revision)"))
            }
        _ = try? await connection?.request(frame)
    }
}
