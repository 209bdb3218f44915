import Foundation
import RexProtocol
import RexTesting
import Testing

/// The page of metrics is what protocol.md says it is, and keeps the rules of its format.
@Suite(.ownThreads) struct MetricsTests {
    /// Names and labels of the table.
    private static func documented() throws -> [String: Set<String>] {
        let text = try Document.text(of: "protocol.md")
        let section = try #require(text.components(separatedBy: "\n### Metrics\n").last)
        let rows = section.components(separatedBy: "\n## ")[0].split(separator: "\n")
            .filter { $0.hasPrefix("| `rex_") }
        var found: [String: Set<String>] = [:]
        for row in rows {
            let cells = row.split(separator: "|", omittingEmptySubsequences: false)
            let labels = Set(Self.quoted(cells[2]))
            for name in quoted(cells[1]) { found[name] = labels }
            #expect(!cells[3].filter { $0 != " " }.isEmpty, "\(row)")
        }
        return found
    }

    /// What stands in backticks.
    private static func quoted(_ cell: Substring) -> [String] {
        cell.split(separator: "`", omittingEmptySubsequences: false).enumerated()
            .filter { $0.offset % 2 == 1 }.map { String($0.element) }
    }

    @Test func theTableAndThePageHaveTheSameNames() throws {
        let scratch = try Scratch()
        let server = try Programs.startServer(data: scratch.folder)
        let client = try LineClient(server)
        #expect(try client.dispatch("increment").op == "ack")
        let metrics = try MetricsText.of(server)
        let table = try Self.documented()
        #expect(table.count > 30)
        #expect(Set(metrics.families.keys) == Set(table.keys))
        for (name, family) in metrics.families where family.type != "histogram" {
            let labels = Set(
                family.samples.keys.compactMap { sample in
                    sample.contains("{")
                        ? String(sample.split(separator: "{")[1].prefix { $0 != "=" }) : nil
                })
            #expect(labels == table[name], "\(name)")
        }
        #expect(metrics["rex_journal_write_seconds_count"] ?? 0 >= 1)
        #expect(metrics["rex_journal_pending_batches"] == 0)
    }

    /// In the order of protocol.md's tables of limits, errors and reasons.
    @Test func labelsAreNamesOfTheProtocol() throws {
        let text = try Document.text(of: "protocol.md")
        let metrics = try MetricsText.of(try Programs.startServer())
        for family in ["rex_limit_hits_total", "rex_errors_total", "rex_closes_total"] {
            let labels = metrics.labels(of: family)
            #expect(labels.count > 10)
            for label in labels { #expect(text.contains("`\(label)`"), "\(family) \(label)") }
        }
    }

    @Test func whatAStoreSendsIsCounted() throws {
        let server = try Programs.startServer()
        let client = try LineClient(server)
        let watcher = try LineClient(server)
        #expect(try watcher.ask(["op": "subscribe", "store": "counter"]).op == "subscribed")
        let states: JSONValue = ["op": "subscribe", "store": "counter", "mode": "state"]
        #expect(try watcher.ask(states).op == "subscribed")
        for _ in 1...3 { _ = try client.dispatch("increment", with: ["key": "k"]) }
        #expect(try client.dispatch("increment").op == "ack")
        let metrics = try MetricsText.of(server)
        #expect(metrics["rex_commits_total{store=\"counter\"}"] == 2)
        #expect(metrics["rex_patches_sent_total"] == 2 && metrics["rex_states_sent_total"] == 2)
        #expect(metrics["rex_history_commits{store=\"counter\"}"] == 2)
        #expect((metrics["rex_history_bytes{store=\"counter\"}"] ?? 0) > 256)
        #expect(metrics["rex_keys{store=\"counter\"}"] == 1)
        #expect(metrics["rex_mailbox_messages{store=\"counter\"}"] == 0)
        #expect(metrics["rex_addresses"] == 1 && metrics["rex_connections_waiting"] == 0)
        #expect((metrics["rex_turn_seconds_count"] ?? 0) >= 6)
    }

    @Test func deniedRequestsAreCountedByEveryWayIn() throws {
        let tokens = try TokenText(["ann": TokenText.owner, "bob": ["metrics": true]])
        let server = try tokens.server()
        let bob = try LineClient(server, as: "bob")
        #expect(try bob.dispatch("increment").code == "forbidden")
        let answer = try WebClient(server).post(
            "/stores/counter/actions", "{\"type\":\"increment\"}", WebClient.bearer("bob"))
        #expect(answer.status == 403)
        let metrics = try MetricsText.of(server, WebClient.bearer("bob"))
        #expect(metrics["rex_requests_denied_total"] == 2)
    }

    /// What breaks a rule of the format is found: the reader of the tests is not blind.
    @Test(arguments: [
        "", "a 1", "# TYPE a gauge\na 1\n", "# HELP a x\n# TYPE a gauge\na 1",
        "# HELP a x\n# TYPE a counter\na 1\n", "# HELP a x\n# TYPE a gauge\na one\n",
        "# HELP a x\n# TYPE a gauge\nb 1\n", "# HELP a x\n# TYPE a gauge\na 1\na 1\n",
        "# HELP a x\n# TYPE a_total counter\na_total 1\n",
        "# HELP a x\n# TYPE a histogram\na_bucket{le=\"+Inf\"} 1\na_sum 1\na_count 2\n",
        "# HELP a x\n# TYPE a histogram\na_bucket{le=\"1\"} 2\na_bucket{le=\"+Inf\"} 1\n"
            + "a_sum 1\na_count 1\n",
    ])
    func aPageThatBreaksTheFormatIsRefused(_ text: String) {
        #expect(throws: MetricsText.Fault.self) { _ = try MetricsText(text) }
    }
}
