/// `rex-bench [table …]`: measures, and prints what it measured.
@main
struct RexBench {
    static func main() async {
        let tables: [(name: String, run: () async -> Void)] = [
            ("store", storeTable), ("collections", collectionsTable), ("diff", diffTable),
            ("cost", costTable), ("codec", codecTable),
            ("socket", socketTable), ("websocket", webSocketTable), ("durable", durableTable),
            ("recovery", recoveryTable),
        ]
        let wanted = CommandLine.arguments.dropFirst()
        for name in wanted where !tables.contains(where: { $0.name == name }) {
            print("no table \(name); there are: \(tables.map(\.name).joined(separator: ", "))")
            return
        }
        for table in tables where wanted.isEmpty || wanted.contains(table.name) {
            await table.run()
        }
    }
}
