import Rex
import RexLoop
import RexProtocol

extension Server {
    /// Writes an event that somebody else can cause as often as they like: what is the same is one
    /// line with a count.
    ///
    /// - Parameter subject: what it is about, such as a client or an address.
    func note(
        _ level: LogLevel, _ name: StaticString, about subject: @autoclosure () -> String,
        _ members: @autoclosure () -> KeyValuePairs<StaticString, String>
    ) {
        guard level >= log.level else { return }
        let now = loop.milliseconds
        if let members = storms.take(level, name, about: subject(), at: now, members) {
            log.event(level, name, members)
        }
        awaitStorms()
    }

    private func awaitStorms() {
        guard !hasStormDeadline, let next = storms.next else { return }
        hasStormDeadline = true
        add(.storms, at: next)
    }

    /// A second is over for some of what came again.
    func endStorms() {
        hasStormDeadline = false
        writeStorms(at: loop.milliseconds)
        awaitStorms()
    }

    /// Writes what is counted and not written yet.
    func writeStorms(at now: UInt64) {
        for storm in storms.takeDue(at: now) {
            log.event(storm.level, storm.name, storm.members, repeated: storm.count)
        }
    }

    /// Notes what a client is told instead of what it asked for.
    func noteRefusal(_ error: WireError, of connection: Connection) {
        metrics.count(error)
        let client = connection.session.client
        if error.code == .forbidden {
            note(
                .info, "denied", about: client.user ?? connection.origin,
                ["client": client.id, "user": client.user ?? "", "peer": connection.socket.peer])
        } else {
            note(
                .debug, "refused", about: "\(error.code) \(connection.origin)",
                ["client": client.id, "code": error.code.rawValue])
        }
    }
}

extension Connection {
    /// Whom lines of the log are counted together for: an address, or all of the Unix sockets.
    var origin: String { network?.description ?? "unix" }
}
