import Foundation
import RexLoop
import RexTLS
import Testing

/// Two sessions that talk with each other through memory.
@Suite struct TLSSessionTests {
    private static let folder = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "Certificates").path

    private func file(_ name: String) -> String { "\(Self.folder)/\(name)" }

    private func server(clients: Bool = false, _ name: String = "server") throws -> TLSSession {
        let context = try TLSContext.server(
            certificate: file("\(name).pem"), key: file("\(name).key"),
            clientAuthority: clients ? file("authority.pem") : nil)
        return try TLSSession(context, as: .server)
    }

    private func client(
        _ host: String = "localhost", as name: String? = nil, verifies: Bool = true
    ) throws -> TLSSession {
        let context = try TLSContext.client(
            authority: file("authority.pem"), certificate: name.map { file("\($0).pem") },
            key: name.map { file("\($0).key") }, verifies: verifies)
        return try TLSSession(context, as: .client(host: host))
    }

    /// Moves what both have to say until neither has more; `slice` bytes at a time.
    @discardableResult
    private func converse(
        _ a: TLSSession, _ b: TLSSession, slice: Int = .max
    ) throws -> (toA: [UInt8], toB: [UInt8]) {
        var (toA, toB): ([UInt8], [UInt8]) = ([], [])
        while true {
            let (fromA, fromB) = (a.takeOutgoing(), b.takeOutgoing())
            if fromA.isEmpty, fromB.isEmpty { return (toA, toB) }
            toB += try feed(fromA, to: b, slice)
            toA += try feed(fromB, to: a, slice)
        }
    }

    private func feed(_ bytes: [UInt8], to session: TLSSession, _ slice: Int) throws -> [UInt8] {
        var text: [UInt8] = []
        var rest = bytes[...]
        while !rest.isEmpty {
            let piece = Array(rest.prefix(slice))
            rest = rest.dropFirst(piece.count)
            try withBytes(piece) { try session.receive($0) { text += $0 } }
        }
        return text
    }

    private func withBytes(
        _ bytes: [UInt8], _ body: (UnsafeRawBufferPointer) throws -> Void
    ) rethrows {
        try bytes.withUnsafeBytes(body)
    }

    private func send(_ text: String, on session: TLSSession) throws {
        try withBytes(Array(text.utf8)) { try session.send($0) }
    }

    @Test(arguments: [1, 7, Int.max])
    func theySpeakAfterTheHandshake(slice: Int) throws {
        let (client, server) = (try client(), try server())
        // Said before anybody has answered: kept, and delivered.
        try send("hello", on: client)
        let first = try converse(client, server, slice: slice)
        #expect(client.isOpen && server.isOpen)
        #expect(first.toB == Array("hello".utf8) && first.toA.isEmpty)
        let long = [UInt8](repeating: 7, count: 100_000)
        try withBytes(long) { try server.send($0) }
        #expect(try converse(client, server, slice: slice).toA == long)
        #expect(server.peerName == nil && client.peerName == "localhost")
        client.end()
        try converse(client, server, slice: slice)
        #expect(server.hasEnded && !client.hasEnded)
        try send("bye", on: server)
        server.end()
        #expect(try converse(client, server, slice: slice).toA == Array("bye".utf8))
        #expect(client.hasEnded)
    }

    @Test func aCertificateMustNameTheHost() throws {
        for host in ["localhost", "127.0.0.1", "rex.test"] {
            let (client, server) = (try client(host), try server())
            try converse(client, server)
            #expect(client.isOpen)
        }
        for host in ["example.test", "127.0.0.2"] {
            let (client, server) = (try client(host), try server())
            #expect(throws: SocketCipherError.self) { try converse(client, server) }
            #expect(!client.isOpen)
        }
    }

    @Test func aCertificateMustBeSignedByWhoIsTrusted() throws {
        let (client, server) = (try client(), try server("other"))
        let error = #expect(throws: SocketCipherError.self) { try converse(client, server) }
        #expect(error?.description.hasPrefix("certificate not accepted: ") == true)
        let (trusting, again) = (try self.client(verifies: false), try self.server("other"))
        try converse(trusting, again)
        #expect(trusting.isOpen && trusting.peerName == nil)
    }

    @Test func aClientMayShowACertificate() throws {
        let (ann, server) = (try client(as: "ann"), try server(clients: true))
        try converse(ann, server)
        #expect(server.isOpen && server.peerName == "ann")
        let (nobody, other) = (try client(), try self.server(clients: true))
        try converse(nobody, other)
        #expect(other.isOpen && other.peerName == nil)
        let (eve, third) = (try client(as: "eve"), try self.server(clients: true))
        #expect(throws: SocketCipherError.self) { try converse(eve, third) }
        #expect(!third.isOpen && third.peerName == nil)
    }

    @Test func whatIsNoTLSIsAnError() throws {
        for text in ["GET / HTTP/1.1\r\n\r\n", "\u{16}\u{3}\u{1}\u{7f}\u{7f}\u{1}"] {
            let server = try server()
            #expect(throws: SocketCipherError.self) {
                for _ in 0..<10_000 { _ = try feed(Array(text.utf8), to: server, .max) }
            }
            #expect(!server.isOpen)
        }
    }

    @Test func bytesThatWereChangedEndIt() throws {
        let (client, server) = (try client(), try server())
        try converse(client, server)
        try send("a secret", on: client)
        var bytes = client.takeOutgoing()
        bytes[bytes.count - 1] ^= 1
        #expect(throws: SocketCipherError.self) { _ = try feed(bytes, to: server, .max) }
    }

    @Test func onlySoMuchIsKeptBeforeTheHandshake() throws {
        let client = try client()
        let half = [UInt8](repeating: 1, count: TLSSession.earlyBytes / 2)
        try withBytes(half) { try client.send($0) }
        try withBytes(half) { try client.send($0) }
        #expect(throws: SocketCipherError.self) { try send("x", on: client) }
    }

    @Test func filesThatAreNoneAreNamed() throws {
        let missing = #expect(throws: TLSError.self) {
            try TLSContext.server(certificate: "/nowhere.pem", key: file("server.key"))
        }
        #expect(missing?.description.contains("/nowhere.pem") == true)
        let other = #expect(throws: TLSError.self) {
            try TLSContext.server(certificate: file("server.pem"), key: file("ann.key"))
        }
        #expect(other?.description.contains("ann.key") == true)
        #expect(throws: TLSError.self) {
            try TLSContext.client(authority: file("server.key"))
        }
    }
}
