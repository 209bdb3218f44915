@testable import RexServer

/// Lines, however they arrive and whenever the reader stops, against the rule in its plainest form.
enum LineTarget {
    private struct Heard: Equatable {
        var lines: [[UInt8]] = []
        var isTooLong = false
    }

    static func run(_ input: [UInt8]) throws {
        var input = FuzzInput(input)
        let limit = Int(input.byte() % 64) + 1
        let (cut, stops) = (input.byte(), input.byte())
        let text = input.take()
        let wanted = plain(text, limit)
        let whole = try heard([text], limit, stops: 0)
        try hold(whole == wanted, "whole: \(whole) is not \(wanted)")
        let parts = try heard(pieces(of: text, cut), limit, stops: stops)
        try hold(parts == wanted, "in pieces: \(parts) is not \(wanted)")
    }

    /// The rule: lines end at LF, one CR before it is dropped, blank ones are skipped.
    private static func plain(_ text: [UInt8], _ limit: Int) -> Heard {
        var heard = Heard()
        var lines = text.split(separator: 10, omittingEmptySubsequences: false).map { Array($0) }
        let last = lines.removeLast()
        for var line in lines {
            if line.last == 13 { line.removeLast() }
            guard line.count <= limit else {
                heard.isTooLong = true
                return heard
            }
            if !isBlank(line) { heard.lines.append(line) }
        }
        heard.isTooLong = last.count > limit && !(last.count == limit + 1 && last.last == 13)
        if !heard.isTooLong, !isBlank(last) { heard.lines.append(last) }
        return heard
    }

    private static func isBlank(_ line: [UInt8]) -> Bool {
        line.allSatisfy { [32, 9, 13].contains($0) }
    }

    /// - Parameter stops: the reader wants no more after each line whose number has this bit.
    private static func heard(_ parts: [[UInt8]], _ limit: Int, stops: UInt8) throws -> Heard {
        var heard = Heard()
        var framer = LineFramer(limit: limit)
        func take(_ line: UnsafeRawBufferPointer) -> Bool {
            heard.lines.append(Array(line))
            return stops & 1 << (heard.lines.count % 8) == 0
        }
        do throws(LineFramer.Stop) {
            for part in parts + [[]] {
                try part.withUnsafeBytes { Result(framer: &framer, $0, take) }.get()
                var count = -1
                while count != heard.lines.count {
                    count = heard.lines.count
                    try framer.take(UnsafeRawBufferPointer(start: nil, count: 0), take)
                }
            }
        } catch {
            heard.isTooLong = true
            return heard
        }
        try hold(framer.heldBytes <= limit + 1, "\(framer.heldBytes) bytes are held")
        framer.end(take)
        return heard
    }
}

extension Result where Success == Void, Failure == LineFramer.Stop {
    fileprivate init(
        framer: inout LineFramer, _ bytes: UnsafeRawBufferPointer,
        _ body: (UnsafeRawBufferPointer) -> Bool
    ) {
        self = Result { () throws(LineFramer.Stop) in try framer.take(bytes, body) }
    }
}
