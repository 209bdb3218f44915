import Foundation
import RexProtocol
import RexTesting
import Testing

/// A disk that takes nothing any more, and then does again.
@Suite(.ownThreads, .enabled(if: geteuid() == 0, "mounting needs root")) struct DiskTests {
    /// A small file system that goes with the object.
    private final class Disk {
        let folder: String

        init(bytes: Int) throws {
            folder = FileManager.default.temporaryDirectory.path + "/rex-disk-\(UUID().uuidString)"
            try FileManager.default.createDirectory(
                atPath: folder, withIntermediateDirectories: true)
            let ended = try Programs.run(
                ["mount", "-t", "tmpfs", "-o", "size=\(bytes)", "tmpfs", folder])
            guard ended.code == 0 else {
                throw LineClient.Failure(description: "no disk: \(ended.errors)")
            }
        }

        func remount(_ options: String) throws {
            let ended = try Programs.run(["mount", "-o", "remount,\(options)", folder])
            #expect(ended.code == 0, "\(ended.errors)")
        }

        deinit {
            _ = try? Programs.run(["umount", "-l", folder])
            try? FileManager.default.removeItem(atPath: folder)
        }
    }

    private func isReady(_ server: ServerProcess) throws -> Bool {
        try WebClient.ask(server, "GET", "/readyz").status == 200
    }

    /// Adds texts until one is refused; returns how many were acknowledged.
    private func fill(_ client: LineClient, from first: Int) throws -> (
        acked: Int, error: JSONValue
    ) {
        let text = String(repeating: "x", count: 20_000)
        for number in first... {
            let reply = try client.dispatch(
                "append", ["path": "/list", "value": .string("\(number)\(text)")], store: "doc")
            if reply.op != "ack" { return (number - first, reply) }
        }
        fatalError("unreachable")
    }

    @Test func aFullDiskRefusesAndTakesAgainWhenThereIsSpace() throws {
        let disk = try Disk(bytes: 3_000_000)
        let data = disk.folder + "/data"
        var server = try Programs.startServer(data: data)
        let watcher = try LineClient(server)
        let replica = try Replica(watcher, "doc", "/list")
        let (acked, error) = try fill(try LineClient(server), from: 0)
        #expect(acked > 20)
        #expect(error.code == "overloaded" && error["retry_ms"]?.int != nil, "\(error)")
        #expect(error["message"]?.string?.contains("full") == true, "\(error)")
        #expect(try !isReady(server))
        // What is stored can be read; nothing more is shown to anybody.
        let reader = try LineClient(server)
        #expect(try reader.state("doc", "/list").array?.count == acked)
        #expect(try reader.dispatch("increment").code == "overloaded")
        let post = try WebClient(server).post("/stores/counter/actions", "{\"type\":\"increment\"}")
        #expect(post.status == 503 && post.json.code == "overloaded")
        #expect(throws: LineClient.Failure.self) { try replica.follow { _ in false } }
        #expect(replica.state.array?.count == acked)

        try disk.remount("size=60000000")
        let deadline = ContinuousClock.now + ChildProcess.patience
        while try !isReady(server), ContinuousClock.now < deadline {}
        let again = try LineClient(server)
        #expect(try again.dispatch("increment")["rev"] == 1)
        let late = try again.dispatch(
            "append", ["path": "/list", "value": "late"], store: "doc", with: ["key": "late"])
        #expect(late["rev"] == .int(acked + 1))
        // Whoever was turned away resumes from what it was shown.
        let back = try Replica(
            again, "doc", "/list",
            ["since": ["epoch": .string(replica.epoch), "rev": .int(replica.rev)]])
        #expect(back.isResumed)
        try server.kill()
        server = try Programs.startServer(data: data)
        #expect(try LineClient(server).state("doc", "/list").array?.count == acked + 1)
    }

    @Test func aDiskThatMayOnlyBeReadIsSaidAtTheStart() throws {
        let disk = try Disk(bytes: 30_000_000)
        let data = disk.folder + "/data"
        try Programs.startServer(data: data).stop()
        try disk.remount("ro")
        let ended = try Programs.run([
            Programs.server, "--data", data, "--listen", "127.0.0.1:0",
        ])
        #expect(ended.code == 74)
        #expect(ended.errors.contains("\(data)/lock"), "\(ended.errors)")
        try disk.remount("rw")
        try Programs.startServer(data: data).stop()
    }
}
