import Foundation
import RexLoop
import Testing

@Suite struct FolderLockTests {
    @Test func oneAtATimeAndTheSecondIsToldWhoHasIt() throws {
        let folder =
            FileManager.default.temporaryDirectory.path
            + "/rex-lock-\(UUID().uuidString)/inner"
        defer { try? FileManager.default.removeItem(atPath: folder) }
        var first: FolderLock? = try FolderLock(folder)
        let error = #expect(throws: FolderLock.Failure.self) { _ = try FolderLock(folder) }
        #expect(error?.isTaken == true)
        #expect(error?.description == "\(folder) is in use by process \(getpid())")
        // The file is no more than a note.
        try FileManager.default.removeItem(atPath: folder + "/lock")
        let second = #expect(throws: FolderLock.Failure.self) { _ = try FolderLock(folder) }
        #expect(second?.isTaken == true)
        withExtendedLifetime(first) {}
        first = nil
        _ = try FolderLock(folder)
    }

    @Test func aFileIsNoFolder() throws {
        let path = FileManager.default.temporaryDirectory.path + "/rex-lock-\(UUID().uuidString)"
        try Data().write(to: URL(filePath: path))
        defer { try? FileManager.default.removeItem(atPath: path) }
        let error = #expect(throws: FolderLock.Failure.self) { _ = try FolderLock(path) }
        #expect(error?.isTaken == false)
    }
}
