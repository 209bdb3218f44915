import Foundation

/// The files of the repository that people write: hidden folders but `.ci`, and what a build or a
/// tool made, are left out.
struct Tree {
    var files: [SourceFile]

    var swift: [SourceFile] { files.filter(\.isSwift) }

    func file(_ path: String) -> SourceFile? { files.first { $0.path == path } }

    /// This repository. Read once: all rules look at the same.
    static let repository = Result { try Tree(root: root) }

    /// From `Tests/HouseTests/Reading/Tree.swift` four steps up.
    static let root = (0..<4).reduce(URL(filePath: #filePath)) { url, _ in
        url.deletingLastPathComponent()
    }

    /// `.git` is a file in a linked work tree.
    private static let skipped: Set = [".git", "node_modules", "__pycache__"]
    /// A larger file is not written by hand.
    private static let fileBytesLimit = 1 << 20

    init(files: [SourceFile]) { self.files = files }

    init(root: URL) throws {
        files = []
        try add(root, path: "")
        files.sort { $0.path < $1.path }
    }

    private mutating func add(_ folder: URL, path: String) throws {
        for name in try FileManager.default.contentsOfDirectory(atPath: folder.path) {
            if Self.skipped.contains(name) { continue }
            let url = folder.appending(path: name)
            let values = try url.resourceValues(forKeys: [
                .isDirectoryKey, .isRegularFileKey, .fileSizeKey,
            ])
            if values.isDirectory == true {
                if name.hasPrefix("."), name != ".ci" { continue }
                try add(url, path: path + name + "/")
            } else if values.isRegularFile == true, (values.fileSize ?? 0) <= Self.fileBytesLimit {
                // What is no UTF-8 is no text, and no rule applies.
                guard let text = String(data: try Data(contentsOf: url), encoding: .utf8)
                else { continue }
                files.append(SourceFile(path: path + name, text: text))
            }
        }
    }
}
