import Foundation
import RexClient
import Testing

/// A document of this repository, as a test reads it.
enum Document {
    /// The repository: from `Tests/ProcessTests/Documents/Document.swift` four steps up.
    static let root = (0..<4).reduce(URL(filePath: #filePath)) { url, _ in
        url.deletingLastPathComponent()
    }

    /// Where a file or folder of the repository is.
    static func path(of path: String) -> String { root.appending(path: path).path }

    /// The text of a file, its path seen from the repository.
    static func text(of path: String) throws -> String {
        try String(contentsOf: root.appending(path: path), encoding: .utf8)
    }

    /// The token file that docs/security.md shows.
    static var tokenFile: String {
        get throws {
            (try blocks(of: "json", in: "docs/security.md").first ?? []).joined(separator: "\n")
        }
    }

    /// The fenced blocks of a language in a document, in order, each with its lines.
    static func blocks(of language: String, in path: String) throws -> [[String]] {
        var found: [[String]] = []
        var open: [String]?
        for line in try text(of: path).split(separator: "\n", omittingEmptySubsequences: false) {
            if let lines = open {
                if line == "```" {
                    found.append(lines)
                    open = nil
                } else {
                    open = lines + [String(line)]
                }
            } else if line == "```\(language)" {
                open = []
            }
        }
        return found
    }
}

/// A conversation that a document shows.
struct Example: CustomTestStringConvertible, Sendable {
    let transcript: Transcript

    var testDescription: String { "\(transcript.file):\(transcript.line) \(transcript.title)" }

    /// All of a document.
    static func all(in path: String) -> [Example] {
        do {
            return try Transcript.read(Document.text(of: path), file: path).map(Example.init)
        } catch {
            preconditionFailure("\(path) cannot be read as transcripts: \(error)")
        }
    }

    /// It sends whole frames, never ends one half of a connection, and does not speak of
    /// connections themselves.
    var isOfFramesAlone: Bool {
        limits["connections"] == nil && !needsTokens
            && transcript.steps.allSatisfy { step in
                switch step.action {
                case .sendBytes, .finish: false
                case .expect(let frame): !frame.source.contains("\"transport\"")
                default: true
                }
            }
    }

    /// The title asks for a server with the token file of docs/security.md.
    var needsTokens: Bool { transcript.title.hasSuffix("with tokens") }

    /// The limits that the title asks for: it ends in `limits name=1 name=2`.
    var limits: [String: Int] {
        guard let mark = transcript.title.range(of: "limits ", options: .backwards) else {
            return [:]
        }
        let pairs = transcript.title[mark.upperBound...].split(separator: " ").compactMap { word in
            let parts = word.split(separator: "=")
            return parts.count == 2 ? Int(parts[1]).map { (String(parts[0]), $0) } : nil
        }
        return Dictionary(uniqueKeysWithValues: pairs)
    }
}
