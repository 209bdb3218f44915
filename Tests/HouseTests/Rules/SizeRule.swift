/// How long a file, a function and a line may be.
enum SizeRule {
    static let fileLineLimit = 600
    static let functionLineLimit = 70
    static let columnLimit = 100

    private static let written = [".swift", ".c", ".h", ".js", ".css", ".py", ".sh"]

    static func findings(in file: SourceFile) -> [Finding] {
        longFile(file) + (file.isSwift ? longLines(file) + longFunctions(file) : [])
    }

    static func longFile(_ file: SourceFile) -> [Finding] {
        // The last line of a text ends with a line feed, behind which nothing stands.
        let count = file.lines.count - (file.lines.last == "" ? 1 : 0)
        guard count > fileLineLimit, written.contains(where: file.path.hasSuffix) else { return [] }
        return [file.finding(count, "\(count) lines in a file, at most \(fileLineLimit)")]
    }

    static func longLines(_ file: SourceFile) -> [Finding] {
        file.lines.enumerated().compactMap { index, line in
            // Bytes are never fewer than columns, and counting them is cheap.
            guard line.utf8.count > columnLimit, line.count > columnLimit else { return nil }
            return file.finding(index + 1, "\(line.count) columns, at most \(columnLimit)")
        }
    }

    static func longFunctions(_ file: SourceFile) -> [Finding] {
        FunctionBody.all(in: file.tokens).compactMap { body in
            guard body.lineCount > functionLineLimit else { return nil }
            return file.finding(
                body.firstLine,
                "\(body.name) has \(body.lineCount) lines, at most \(functionLineLimit)")
        }
    }
}
