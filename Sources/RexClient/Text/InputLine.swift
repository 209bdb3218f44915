/// The line that a person is typing: its text, the cursor, and the lines typed before.
package struct InputLine {
    /// What a key came to.
    package enum Outcome: Equatable {
        case changed
        case moved
        case submitted(String)
        case interrupted
        case ended
        case nothing
    }

    /// Characters beyond which typing is ignored; a message has at most 4,000 scalars.
    package static let limit = 4_000
    /// Lines remembered.
    package static let historyLimit = 100

    private var text: [Character] = []
    private var cursor = 0
    private var history: [String] = []
    private var place = 0
    private var draft: [Character] = []

    package init() {}

    /// The text as it stands.
    package var content: String { String(text) }

    package mutating func apply(_ key: Key) -> Outcome {
        switch key {
        case .character(let character): return insert(character)
        case .enter: return submit()
        case .backspace: return remove(from: cursor - 1, to: cursor)
        case .delete: return remove(from: cursor, to: cursor + 1)
        case .killToStart: return remove(from: 0, to: cursor)
        case .killToEnd: return remove(from: cursor, to: text.count)
        case .wordBack: return remove(from: startOfWord, to: cursor)
        case .left: return move(to: cursor - 1)
        case .right: return move(to: cursor + 1)
        case .home: return move(to: 0)
        case .end: return move(to: text.count)
        case .up: return recall(place - 1)
        case .down: return recall(place + 1)
        case .redraw: return .moved
        case .interrupt: return .interrupted
        case .endOfInput: return text.isEmpty ? .ended : remove(from: cursor, to: cursor + 1)
        case .tab: return .nothing
        }
    }

    private mutating func insert(_ character: Character) -> Outcome {
        guard text.count < Self.limit else { return .nothing }
        // A combining mark that arrives by itself belongs to the character before the cursor.
        if cursor > 0, (String(text[cursor - 1]) + String(character)).count == 1 {
            text[cursor - 1] = Character(String(text[cursor - 1]) + String(character))
            return .changed
        }
        text.insert(character, at: cursor)
        cursor += 1
        return .changed
    }

    private mutating func submit() -> Outcome {
        let line = content
        text = []
        cursor = 0
        if !line.isEmpty, history.last != line {
            history.append(line)
            if history.count > Self.historyLimit { history.removeFirst() }
        }
        place = history.count
        return .submitted(line)
    }

    private mutating func remove(from start: Int, to end: Int) -> Outcome {
        guard start >= 0, end <= text.count, start < end else { return .nothing }
        text.removeSubrange(start..<end)
        cursor = start
        return .changed
    }

    private mutating func move(to position: Int) -> Outcome {
        guard (0...text.count).contains(position), position != cursor else { return .nothing }
        cursor = position
        return .moved
    }

    private mutating func recall(_ position: Int) -> Outcome {
        guard (0...history.count).contains(position), position != place else { return .nothing }
        if place == history.count { draft = text }
        place = position
        text = position == history.count ? draft : Array(history[position])
        cursor = text.count
        return .changed
    }

    private var startOfWord: Int {
        var position = cursor
        while position > 0, text[position - 1].isWhitespace { position -= 1 }
        while position > 0, !text[position - 1].isWhitespace { position -= 1 }
        return position
    }

    /// The part of the line that fits into so many columns, with the cursor in it, and the cursor's
    /// column.
    package func visible(columns: Int) -> (text: String, cursor: Int) {
        let room = max(1, columns - 1)
        var start = cursor
        var before = 0
        while start > 0 {
            let width = VisibleText.columns(text[start - 1])
            guard before + width <= room else { break }
            before += width
            start -= 1
        }
        var shown = String(text[start..<cursor])
        var width = before
        for character in text[cursor...] {
            width += VisibleText.columns(character)
            guard width <= room else { break }
            shown.append(character)
        }
        return (shown, before)
    }
}
