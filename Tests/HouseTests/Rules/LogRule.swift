/// Every event that the server writes to its log stands in the table of docs/operations.md, with
/// the levels it has, and no others stand there.
enum LogRule {
    static let document = "docs/operations.md"
    private static let calls: Set = ["event", "note"]
    private static let levels: Set = ["debug", "info", "notice", "warning", "error"]

    static func findings(in tree: Tree) -> [Finding] {
        guard let document = tree.file(document) else { return [] }
        let written = tree.swift.filter { !$0.isTest }.flatMap(events)
        let listed = rows(of: document)
        let missing = written.compactMap { event -> Finding? in
            if listed.contains(where: { $0.name == event.name && $0.level == event.level }) {
                return nil
            }
            return event.file.finding(
                event.line, "\(self.document) does not list \(event.name) as \(event.level)")
        }
        let unknown = listed.compactMap { row -> Finding? in
            if written.contains(where: { $0.name == row.name && $0.level == row.level }) {
                return nil
            }
            return document.finding(row.line, "nothing writes \(row.name) as \(row.level)")
        }
        return missing + unknown
    }

    struct Event {
        var file: SourceFile
        var line: Int
        var name: String
        var level: String
    }

    /// `log.event(.info, "name"` and `note(.info, "name"`.
    static func events(in file: SourceFile) -> [Event] {
        let tokens = file.tokens
        return tokens.indices.dropLast(5).compactMap { index in
            guard tokens[index].kind == .word, calls.contains(tokens[index].text),
                tokens[index + 1].isMark("("), tokens[index + 2].isMark("."),
                levels.contains(tokens[index + 3].text), tokens[index + 4].isMark(","),
                tokens[index + 5].kind == .string
            else { return nil }
            return Event(
                file: file, line: tokens[index].line, name: tokens[index + 5].text,
                level: tokens[index + 3].text)
        }
    }

    /// Rows such as ``| `name` | info | … |``.
    private static func rows(of document: SourceFile) -> [Event] {
        document.lines.enumerated().compactMap { index, line in
            let cells = line.split(separator: "|").map { $0.filter { $0 != " " && $0 != "`" } }
            guard line.hasPrefix("| `"), cells.count == 4, levels.contains(cells[1]) else {
                return nil
            }
            return Event(file: document, line: index + 1, name: cells[0], level: cells[1])
        }
    }
}
