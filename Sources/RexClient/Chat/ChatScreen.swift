/// What a terminal shows of a chat: messages that scroll away upwards, below them a status line and
/// the line being typed.
///
/// A value that returns what to write. It moves the cursor over two lines only and never leaves the
/// terminal's own scrolling, so the conversation stays in the scrollback.
package struct ChatScreen {
    /// Columns of the terminal.
    package var columns: Int
    private let prompt: String
    private let hasColour: Bool
    private var isDrawn = false

    package init(columns: Int, prompt: String, hasColour: Bool) {
        self.columns = columns
        self.prompt = prompt
        self.hasColour = hasColour
    }

    /// Shows lines above, then the status and the input line anew.
    package mutating func show(_ lines: [String], status: String, input: InputLine) -> String {
        var text = erase()
        for line in lines { text += "\(line.hasPrefix("* ") ? dim(line) : line)\n" }
        text += dim(fitted(status)) + "\n"
        let room = max(8, columns - VisibleText.columns(prompt))
        let (shown, cursor) = input.visible(columns: room)
        text += prompt + shown + "\r"
        let column = VisibleText.columns(prompt) + cursor
        if column > 0 { text += "\u{1b}[\(column)C" }
        isDrawn = true
        return text
    }

    /// Takes the status and input lines away, at the end.
    package mutating func erase() -> String {
        defer { isDrawn = false }
        return isDrawn ? "\r\u{1b}[1A\u{1b}[J" : ""
    }

    private func fitted(_ text: String) -> String {
        guard VisibleText.columns(text) >= columns else { return text }
        var result = ""
        var width = 1
        for character in text {
            width += VisibleText.columns(character)
            guard width < columns else { break }
            result.append(character)
        }
        return result + "…"
    }

    private func dim(_ text: String) -> String {
        hasColour ? "\u{1b}[2m\(text)\u{1b}[0m" : text
    }
}
