import Rex
import RexLoop
import RexProtocol

/// What one user may dispatch in a second, on however many connections.
final class DispatchRate {
    /// Whose it is; nil for a connection that has one of its own.
    let holder: ExactName?
    var bucket: TokenBucket
    /// It was full again and is in no table any more: who holds it asks for another.
    var isForgotten = false

    init(_ holder: ExactName?, _ bucket: TokenBucket) {
        self.holder = holder
        self.bucket = bucket
    }
}

/// How much a user may dispatch. What is over it is refused before anything of it is done.
extension Server {
    /// Counts one dispatch, whatever comes of it.
    ///
    /// - Throws: `rate_limited`, with the time until the next is taken.
    func checkRate(of connection: Connection) throws(WireError) {
        // One that had to wait for the journal or for the program was counted when it came.
        guard !isServingAgain else { return }
        let now = loop.milliseconds
        let rate = try dispatchRate(of: connection, at: now)
        guard !rate.bucket.takeIfThere(at: now) else { return }
        let wait = rate.bucket.wait(at: now)
        metrics.count(.dispatchesPerSecond)
        note(
            .info, "rate_limited", about: rate.holder?.text ?? connection.session.client.id,
            [
                "client": connection.session.client.id,
                "user": connection.session.client.user ?? "",
                "peer": connection.socket.peer, "limit": LimitName.dispatchesPerSecond.rawValue,
            ])
        throw WireError(
            .rateLimited,
            "a user may dispatch \(limits.dispatchesPerSecond) actions a second "
                + "(dispatches_per_second); the next in \(wait) ms",
            retryMilliseconds: wait)
    }

    private func dispatchRate(
        of connection: Connection, at now: UInt64
    ) throws(WireError) -> DispatchRate {
        let holder = dispatchHolder(of: connection)
        if let known = connection.dispatchRate, !known.isForgotten, known.holder == holder {
            return known
        }
        let rate = try holder.map { holder throws(WireError) in
            try dispatchRate(of: holder, at: now)
        }
        let own = rate ?? DispatchRate(nil, newDispatchBucket(at: now))
        connection.dispatchRate = own
        return own
    }

    /// The user; without one the address, for a connection is soon made anew. Those of Unix sockets
    /// are the machine's own, and have each their own rate.
    private func dispatchHolder(of connection: Connection) -> ExactName? {
        if let user = connection.session.client.user { return ExactName(user) }
        // No user has a name with a control character.
        return connection.network.map { ExactName("\0\($0)") }
    }

    private func dispatchRate(of user: ExactName, at now: UInt64) throws(WireError) -> DispatchRate
    {
        if let known = dispatchRates[user] { return known }
        guard dispatchRates.count < limits.ratedUsers else {
            throw limit(
                .ratedUsers,
                WireError(
                    .overloaded,
                    "\(limits.ratedUsers) users dispatch at present (rated_users)",
                    retryMilliseconds: 1_000))
        }
        let rate = DispatchRate(user, newDispatchBucket(at: now))
        dispatchRates[user] = rate
        add(.dispatchRate(user: user), after: limits.burstMilliseconds)
        return rate
    }

    private func newDispatchBucket(at now: UInt64) -> TokenBucket {
        TokenBucket(
            perSecond: limits.dispatchesPerSecond, burstMilliseconds: limits.burstMilliseconds,
            at: now)
    }

    /// A user whose bucket is full again is forgotten: a new one would be the same.
    func checkDispatchRate(of user: ExactName) {
        guard let rate = dispatchRates[user] else { return }
        let wait = rate.bucket.waitUntilFull(at: loop.milliseconds)
        guard wait == 0 else { return add(.dispatchRate(user: user), after: wait) }
        rate.isForgotten = true
        dispatchRates[user] = nil
    }
}
