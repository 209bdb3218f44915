import RexLoop
import RexProtocol

/// Connections of one address: nobody takes all the places there are.
extension Server {
    /// Counts a new connection until it is closed; false where it is one too many of its address,
    /// and not counted.
    func enter(_ connection: Connection) -> Bool {
        guard let network = connection.network else { return true }
        let count = connectionsByNetwork[network] ?? 0
        guard limits.addressConnections == 0 || count < limits.addressConnections else {
            return false
        }
        connectionsByNetwork[network] = count + 1
        return true
    }

    /// It is closed.
    func leave(_ connection: Connection) {
        guard let network = connection.network, let count = connectionsByNetwork[network] else {
            return
        }
        connectionsByNetwork[network] = count > 1 ? count - 1 : nil
    }

    /// So many of those that are too many of their address are told so at a time. An address that
    /// comes with more would else take the room in which others hear that there is none: those are
    /// closed without a word.
    static let refusedAddressesAtOnce = 128

    /// What one that is too many is told.
    func surplusError(of connection: Connection) -> WireError {
        connection.isSurplusOfAddress
            ? WireError(
                .overloaded,
                "no more than \(limits.addressConnections) connections of one address are served "
                    + "(address_connections)", retryMilliseconds: 1_000)
            : WireError(
                .overloaded, "no more than \(limits.connections) connections are served",
                retryMilliseconds: 1_000)
    }

    /// Counts a connection that is not served, and says so in the log.
    func noteRefusal(of socket: Socket, _ limit: LimitName) {
        metrics.count(limit)
        note(
            .info, "connection_refused", about: socket.network?.description ?? "unix",
            ["peer": socket.peer, "limit": limit.rawValue])
    }
}
