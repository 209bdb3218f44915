import RexLoop
import RexProtocol

/// The page for `/metrics` (Prometheus text format 0.0.4). protocol.md has a table of all that
/// stands there.
extension Server {
    func metricsPage() -> HTTPResponse {
        var page = MetricsPage()
        addTraffic(to: &page)
        addRefusals(to: &page)
        addConnections(to: &page)
        addStores(to: &page)
        page.histogram(
            "rex_turn_seconds", "Turns of the loop, without its waiting.", metrics.turnLength)
        addJournal(to: &page)
        return HTTPResponse(200, "text/plain; version=0.0.4; charset=utf-8", Array(page.text.utf8))
    }

    private func addTraffic(to page: inout MetricsPage) {
        page.counter("rex_connections_accepted_total", "Connections.", metrics.connectionsAccepted)
        page.counter(
            "rex_accept_pauses_total", "Times that connections had to wait to be accepted.",
            metrics.acceptPauses)
        page.counter("rex_frames_received_total", "Frames from clients.", metrics.framesReceived)
        page.counter("rex_http_requests_total", "Requests over HTTP.", metrics.httpRequests)
        page.counter("rex_received_bytes_total", "Bytes from clients.", metrics.bytesReceived)
        page.counter("rex_sent_bytes_total", "Bytes to clients.", metrics.bytesSent)
        page.counter(
            "rex_patches_sent_total", "Patches, each subscription's for itself.",
            metrics.patchesSent)
        page.counter(
            "rex_states_sent_total", "States in the place of patches.", metrics.statesSent)
        page.counter("rex_events_published_total", "Events.", metrics.eventsPublished)
        page.counter(
            "rex_events_dropped_total", "Events that slow listeners lost.", metrics.eventsDropped)
        page.counter(
            "rex_patches_merged_total", "Patches not sent to slow readers, to be merged.",
            metrics.patchesMerged)
    }

    private func addRefusals(to page: inout MetricsPage) {
        page.family("rex_errors_total", "counter", "Errors sent, by code.")
        for code in ErrorCode.allCases {
            page.sample("rex_errors_total", ["code": code.rawValue], metrics.errors[code] ?? 0)
        }
        page.family("rex_closes_total", "counter", "Connections closed by the server, by reason.")
        for reason in CloseReason.allCases {
            page.sample(
                "rex_closes_total", ["reason": reason.rawValue], metrics.closes[reason] ?? 0)
        }
        page.family("rex_limit_hits_total", "counter", "Times that a limit was met.")
        for limit in LimitName.allCases {
            page.sample(
                "rex_limit_hits_total", ["limit": limit.rawValue], metrics.limitHits[limit] ?? 0)
        }
        page.counter(
            "rex_logins_failed_total", "Times that nobody could be told to be who they say.",
            metrics.loginsFailed)
        page.counter(
            "rex_requests_denied_total", "Requests of clients that may not do that.",
            metrics.requestsDenied)
    }

    private func addConnections(to page: inout MetricsPage) {
        page.family("rex_connections", "gauge", "Connections now, by transport.")
        for transport in ["lines", "websocket", "http"] {
            let count = connections.values.count { $0.transport == transport }
            page.sample("rex_connections", ["transport": transport], count)
        }
        page.family("rex_connections_paused", "gauge", "Connections not read from, by reason.")
        for reason in Connection.Pause.allCases {
            let count = connections.values.count { $0.pause == reason }
            page.sample("rex_connections_paused", ["reason": reason.rawValue], count)
        }
        page.gauge(
            "rex_connections_waiting", "Connections that wait in the kernel to be accepted.",
            listeners.reduce(0) { $0 + ($1.waiting ?? 0) })
        page.gauge(
            "rex_addresses", "Addresses with connections.", connectionsByNetwork.count)
        page.gauge(
            "rex_users_rated", "Users who have dispatched lately, where that is bounded.",
            dispatchRates.count)
        page.gauge(
            "rex_sessions", "Clients of several requests, and those that may come back.",
            webSessions.count + parkedSessions.count)
        page.gauge(
            "rex_listeners", "Listeners to topics.",
            connections.values.reduce(0) { $0 + $1.session.listeners.count })
        page.gauge(
            "rex_outbox_bytes", "Bytes that wait to be sent.",
            connections.values.reduce(0) { $0 + $1.outbox.pendingBytes })
        page.gauge(
            "rex_outbox_memory_bytes", "Memory of what waits; what is shared counts once.",
            ledger.bytes)
    }

    private func addStores(to page: inout MetricsPage) {
        let hosted = storeOrder.compactMap { stores[$0] }
        func family(
            _ name: String, _ type: String, _ help: String, _ value: (HostedStore) -> Int
        ) {
            page.family(name, type, help)
            for store in hosted { page.sample(name, ["store": store.host.name], value(store)) }
        }
        family("rex_commits_total", "counter", "Commits of a store.") { $0.host.revision }
        family("rex_subscriptions", "gauge", "Subscriptions to a store.") {
            $0.watches.values.reduce(0) { $0 + $1.members.count }
        }
        family("rex_effects", "gauge", "Effects that run.") { $0.host.effects.count }
        family("rex_mailbox_messages", "gauge", "What effects sent and nobody took yet.") {
            $0.host.holdings.mail
        }
        family("rex_history_commits", "gauge", "Commits that history holds in memory.") {
            $0.host.holdings.historyCommits
        }
        family("rex_history_bytes", "gauge", "Bytes of these commits.") {
            $0.host.holdings.historyBytes
        }
        family("rex_keys", "gauge", "Idempotency keys that are remembered.") {
            $0.host.holdings.keys
        }
    }

    private func addJournal(to page: inout MetricsPage) {
        guard let journal else { return }
        page.counter("rex_journal_batches_total", "Writes of the journal.", journal.writes)
        page.counter(
            "rex_journal_failures_total", "Times that it could not be written to.",
            journal.failures)
        page.histogram(
            "rex_journal_write_seconds",
            "Writes of the journal, the waiting for the disk included.",
            metrics.journalWriteLength)
        page.gauge(
            "rex_journal_pending_batches", "Batches that wait for the disk.",
            journal.pendingBatches)
        page.gauge(
            "rex_journal_pending_bytes", "Bytes of commits that wait for the disk.",
            journal.pendingBytes)
    }
}

extension Connection {
    /// Why a connection is not read from.
    enum Pause: String, CaseIterable {
        /// Its replies wait unread, or for the disk.
        case outbox
        /// It has had its share.
        case rate
        /// The journal or the program is being asked.
        case answer
        /// Its next frames come in the next turn.
        case turn
    }

    var pause: Pause? {
        guard isPaused else { return nil }
        if awaitsAnswer { return .answer }
        if isFull { return .outbox }
        return delayedUntil > 0 ? .rate : .turn
    }
}
