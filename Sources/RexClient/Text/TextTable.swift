/// Rows under a heading, each column as wide as its widest cell.
package struct TextTable {
    private var rows: [[String]]

    package init(_ heading: String...) { rows = [heading] }

    /// Adds a row; cells may hold what others wrote.
    package mutating func add(_ cells: String...) { rows.append(cells.map(VisibleText.escaped)) }

    /// The lines, without white space at their ends.
    package var lines: [String] {
        var widths = [Int](repeating: 0, count: rows[0].count)
        for row in rows {
            for (column, cell) in row.enumerated() {
                widths[column] = max(widths[column], VisibleText.columns(cell))
            }
        }
        return rows.map { row in
            var line = ""
            for (column, cell) in row.enumerated() {
                line += cell
                if column + 1 < row.count {
                    let gap = widths[column] - VisibleText.columns(cell) + 2
                    line += String(repeating: " ", count: gap)
                }
            }
            return String(line.reversed().drop { $0 == " " }.reversed())
        }
    }
}
