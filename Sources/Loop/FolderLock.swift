import Glibc

/// A folder that one process has for itself, as long as this lives.
///
/// The folder itself is locked (`flock`), and a file `lock` in it that holds the number of the
/// process, so that whoever comes second can be told who has it. The file stays behind; removing it
/// frees nothing. The kernel lets go of the locks when the process ends, however it ends.
public final class FolderLock: Sendable {
    /// The folder cannot be had: `/data is in use by process 4711`.
    public struct Failure: Error, Sendable, Equatable, CustomStringConvertible {
        /// What cannot be had, and who has it or what the system says.
        public let description: String
        /// Whether another process has it.
        public let isTaken: Bool
    }

    private let descriptor: Int32
    private let directory: Int32

    /// Takes the folder, which is made where there is none (readable for its owner alone).
    public init(_ folder: String) throws(Failure) {
        try Self.makeFolder(folder)
        let path = folder + "/lock"
        descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            throw Failure(
                description: "\(path) cannot be opened: \(Self.reason)", isTaken: false)
        }
        directory = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        let hasFile = flock(descriptor, LOCK_EX | LOCK_NB) == 0
        // Where a folder cannot be locked at all, the file has to do.
        let isFree = flock(directory, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK
        guard hasFile, isFree else {
            let owner = Self.owner(descriptor)
            close(descriptor)
            if directory >= 0 { close(directory) }
            let who = owner.map { "process \($0)" } ?? "another process"
            throw Failure(description: "\(folder) is in use by \(who)", isTaken: true)
        }
        let text = Array("\(getpid())\n".utf8)
        // Without it the lock holds all the same; only the message of the second is poorer.
        if ftruncate(descriptor, 0) == 0 { _ = pwrite(descriptor, text, text.count, 0) }
    }

    private static func makeFolder(_ folder: String) throws(Failure) {
        var path = folder.hasPrefix("/") ? "" : "."
        for part in folder.split(separator: "/") {
            path += "/" + part
            if mkdir(path, 0o700) == 0 || errno == EEXIST || errno == EROFS { continue }
            let reason = reason
            // One that is there and may not be written to is no fault yet.
            var found = stat()
            if stat(path, &found) == 0 { continue }
            throw Failure(
                description: "the folder \(path) cannot be made: \(reason)", isTaken: false)
        }
    }

    /// Gives a file another name in its folder. That is on the disk when this returns.
    ///
    /// - Throws: with the system's words.
    public static func rename(_ old: String, to new: String) throws(Failure) {
        let folder = new.lastIndex(of: "/").map { new[..<$0] }.map(String.init) ?? "."
        let directory = open(folder.isEmpty ? "/" : folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        defer { if directory >= 0 { close(directory) } }
        guard directory >= 0, Glibc.rename(old, new) == 0, fsync(directory) == 0 else {
            throw Failure(description: "\(new) cannot be made: \(reason)", isTaken: false)
        }
    }

    private static func owner(_ descriptor: Int32) -> Int? {
        var bytes = [UInt8](repeating: 0, count: 16)
        let count = pread(descriptor, &bytes, bytes.count, 0)
        let digits = bytes.prefix(max(0, count)).prefix { $0 >= 48 && $0 <= 57 }
        return Int(String(decoding: digits, as: UTF8.self))
    }

    private static var reason: String { String(cString: strerror(errno)) }

    deinit {
        close(descriptor)
        if directory >= 0 { close(directory) }
    }
}
