import RexProtocol

/// What a server counts from its start on, and what it holds now (Prometheus text format 0.0.4).
struct Metrics {
    var connectionsAccepted = 0
    /// How often connections had to wait for room or for a descriptor.
    var acceptPauses = 0
    var framesReceived = 0
    var httpRequests = 0
    var bytesReceived = 0
    var bytesSent = 0
    var eventsPublished = 0
    /// Events that listeners lost because they were too slow.
    var eventsDropped = 0
    /// How often a subscription was left behind, to get one patch for several later.
    var patchesMerged = 0
    /// Connections closed because all outboxes together held too much.
    var outboxReliefs = 0
    var turns = 0
    var errors: [ErrorCode: Int] = [:]
    var closes: [CloseReason: Int] = [:]
}

extension Server {
    /// The page for `/metrics`.
    func metricsPage() -> HTTPResponse {
        var page = MetricsPage()
        page.counter("rex_connections_accepted_total", "Connections.", metrics.connectionsAccepted)
        page.counter(
            "rex_accept_pauses_total", "Times that connections had to wait to be accepted.",
            metrics.acceptPauses)
        page.counter("rex_frames_received_total", "Frames from clients.", metrics.framesReceived)
        page.counter("rex_http_requests_total", "Requests over HTTP.", metrics.httpRequests)
        page.counter("rex_received_bytes_total", "Bytes from clients.", metrics.bytesReceived)
        page.counter("rex_sent_bytes_total", "Bytes to clients.", metrics.bytesSent)
        page.counter("rex_events_published_total", "Events.", metrics.eventsPublished)
        page.counter(
            "rex_events_dropped_total", "Events that slow listeners lost.", metrics.eventsDropped)
        page.counter(
            "rex_patches_merged_total", "Patches not sent to slow readers, to be merged.",
            metrics.patchesMerged)
        page.counter(
            "rex_outbox_reliefs_total", "Connections closed because all outboxes held too much.",
            metrics.outboxReliefs)
        page.counter("rex_turns_total", "Turns of the loop.", metrics.turns)
        page.family("rex_errors_total", "counter", "Errors sent, by code.")
        for code in ErrorCode.allCases {
            page.sample("rex_errors_total", ["code": code.rawValue], metrics.errors[code] ?? 0)
        }
        page.family("rex_closes_total", "counter", "Connections closed by the server, by reason.")
        for reason in CloseReason.allCases {
            page.sample(
                "rex_closes_total", ["reason": reason.rawValue], metrics.closes[reason] ?? 0)
        }
        page.family("rex_connections", "gauge", "Connections now, by transport.")
        for transport in ["lines", "websocket", "http"] {
            let count = connections.values.count { $0.transport == transport }
            page.sample("rex_connections", ["transport": transport], count)
        }
        addStores(to: &page)
        page.family("rex_listeners", "gauge", "Listeners to topics.")
        page.sample(
            "rex_listeners", [:], connections.values.reduce(0) { $0 + $1.session.listeners.count })
        page.family(
            "rex_outbox_memory_bytes", "gauge", "Memory of what waits; what is shared counts once.")
        page.sample("rex_outbox_memory_bytes", [:], ledger.bytes)
        page.family("rex_outbox_bytes", "gauge", "Bytes that wait to be sent.")
        page.sample(
            "rex_outbox_bytes", [:], connections.values.reduce(0) { $0 + $1.outbox.pendingBytes })
        addJournal(to: &page)
        return HTTPResponse(200, "text/plain; version=0.0.4; charset=utf-8", Array(page.text.utf8))
    }

    private func addJournal(to page: inout MetricsPage) {
        guard let journal else { return }
        page.counter("rex_journal_batches_total", "Writes of the journal.", journal.writes)
        page.counter(
            "rex_journal_failures_total", "Times that it could not be written to.",
            journal.failures)
        page.family(
            "rex_journal_pending_bytes", "gauge", "Bytes of commits that wait for the disk.")
        page.sample("rex_journal_pending_bytes", [:], journal.pendingBytes)
    }

    private func addStores(to page: inout MetricsPage) {
        let hosted = storeOrder.compactMap { stores[$0] }
        page.family("rex_commits_total", "counter", "Commits of a store.")
        for store in hosted {
            page.sample("rex_commits_total", ["store": store.host.name], store.host.revision)
        }
        page.family("rex_subscriptions", "gauge", "Subscriptions to a store.")
        for store in hosted {
            let count = store.watches.values.reduce(0) { $0 + $1.members.count }
            page.sample("rex_subscriptions", ["store": store.host.name], count)
        }
        page.family("rex_effects", "gauge", "Effects that run.")
        for store in hosted {
            page.sample("rex_effects", ["store": store.host.name], store.host.effects.count)
        }
    }
}

/// Text of the metrics as it grows.
struct MetricsPage {
    private(set) var text = ""

    /// A counter without labels.
    mutating func counter(_ name: String, _ help: String, _ value: Int) {
        family(name, "counter", help)
        sample(name, [:], value)
    }

    mutating func family(_ name: String, _ type: String, _ help: String) {
        text += "# HELP \(name) \(help)\n# TYPE \(name) \(type)\n"
    }

    mutating func sample(_ name: String, _ labels: KeyValuePairs<String, String>, _ value: Int) {
        let list = labels.map { "\($0.key)=\"\(Self.escaped($0.value))\"" }.joined(separator: ",")
        text += list.isEmpty ? "\(name) \(value)\n" : "\(name){\(list)} \(value)\n"
    }

    /// A store's name may hold what ends a label.
    private static func escaped(_ text: String) -> String {
        text.reduce(into: "") { text, character in
            switch character {
            case "\\", "\"": text += "\\\(character)"
            case "\n": text += "\\n"
            default: text.append(character)
            }
        }
    }
}
