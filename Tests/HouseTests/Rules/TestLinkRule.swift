/// What a document says is tested, is: a link to a file of tests carries the name of one of them,
/// `[a tick comes late](../Tests/RexTests/TimerTests.swift)`, and in a table whose last column is
/// called `test` every row has such a link there.
enum TestLinkRule {
    static func findings(in tree: Tree) -> [Finding] {
        tree.files.filter { $0.path.hasSuffix(".md") }.flatMap { document in
            brokenLinks(in: document, tree) + untestedRows(in: document)
        }
    }

    private static func brokenLinks(in document: SourceFile, _ tree: Tree) -> [Finding] {
        document.lines.enumerated().flatMap { index, line in
            links(in: line).compactMap { link in
                guard let file = tree.file(path(of: link, from: document)) else {
                    return document.finding(index + 1, "\(link.target) is not there")
                }
                if isTest(link.name, in: file) { return nil }
                return document.finding(index + 1, "\(file.path) has no test '\(link.name)'")
            }
        }
    }

    private static func untestedRows(in document: SourceFile) -> [Finding] {
        var asksForTests = false
        return document.lines.enumerated().compactMap { index, line in
            guard line.hasPrefix("|") else {
                asksForTests = false
                return nil
            }
            let last = line.split(separator: "|").last ?? ""
            if last.filter({ $0 != " " }) == "test" {
                asksForTests = true
                return nil
            }
            let isRuler = !line.contains { !"|-: ".contains($0) }
            if !asksForTests || isRuler || !links(in: last).isEmpty { return nil }
            return document.finding(index + 1, "this row names no test")
        }
    }

    private struct Link {
        var name: Substring
        var target: Substring
    }

    /// The links of a line to Swift files among the tests.
    private static func links(in line: Substring) -> [Link] {
        line.split(separator: "](").adjacentPairs.compactMap { before, behind in
            guard let open = before.lastIndex(of: "["), let close = behind.firstIndex(of: ")")
            else { return nil }
            let target = behind[..<close]
            guard target.contains("Tests/"), target.hasSuffix(".swift") else { return nil }
            return Link(name: before[before.index(after: open)...], target: target)
        }
    }

    private static func path(of link: Link, from document: SourceFile) -> String {
        var folders = document.folders
        for step in link.target.split(separator: "/") {
            if step == ".." { folders = folders.dropLast() } else { folders.append(step) }
        }
        return folders.joined(separator: "/")
    }

    private static func isTest(_ name: Substring, in file: SourceFile) -> Bool {
        ["func \(name)(", "func `\(name)`("].contains { file.text.contains($0) }
    }
}

extension Array {
    /// Each element with the one behind it.
    fileprivate var adjacentPairs: [(Element, Element)] {
        [(Element, Element)](zip(self, dropFirst()))
    }
}
