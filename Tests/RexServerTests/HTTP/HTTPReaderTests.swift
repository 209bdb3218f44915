import RexTesting
import Testing

@testable import RexServer

/// Bytes into requests, without a socket.
@Suite struct HTTPReaderTests {
    private func reader(_ text: String, limit: Int = 100) -> HTTPReader {
        let reader = HTTPReader(bodyLimit: limit)
        Array(text.utf8).withUnsafeBytes { reader.append($0) }
        return reader
    }

    /// The status that bytes are refused with; nil where they are not.
    private func status(_ text: String, limit: Int = 100) -> Int? {
        do throws(HTTPReader.Failure) {
            while try reader(text, limit: limit).next() != nil { return nil }
        } catch { return error.status }
        return nil
    }

    @Test func aRequestIsReadHoweverItIsCut() throws {
        let text =
            "\r\nPOST /a%20b/c?x=1+2&y=%26&z HTTP/1.1\r\nHost: h\r\nX-A: one\r\nx-a:  two \r\n"
            + "Content-Length: 3\r\n\r\nabcGET / HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n"
        let bytes = Array(text.utf8)
        for size in [1, 2, 7, bytes.count] {
            let reader = HTTPReader(bodyLimit: 100)
            var requests: [HTTPRequest] = []
            for start in stride(from: 0, to: bytes.count, by: size) {
                bytes[start..<min(bytes.count, start + size)].withUnsafeBytes { reader.append($0) }
                while let request = try reader.next() { requests.append(request) }
            }
            #expect(requests.count == 2 && !reader.isReading)
            #expect(requests[0].method == "POST" && requests[0].segments == ["a b", "c"])
            #expect(requests[0].query == ["x": "1 2", "y": "&", "z": ""])
            #expect(requests[0].headers["x-a"] == "one,two")
            #expect(requests[0].body == Array("abc".utf8) && requests[0].keepsAlive)
            #expect(requests[1].segments == [] && !requests[1].keepsAlive)
        }
    }

    @Test func chunksAreOneBodyHoweverTheyAreCut() throws {
        let text =
            "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: Chunked\r\n\r\n"
            + "3;name=\"v\"\r\nabc\r\n0A\r\n0123456789\r\n000\r\nTrailer: x\r\n\r\n"
        let bytes = Array(text.utf8)
        for size in 1...bytes.count {
            let reader = HTTPReader(bodyLimit: 13)
            var bodies: [String] = []
            for start in stride(from: 0, to: bytes.count, by: size) {
                bytes[start..<min(bytes.count, start + size)].withUnsafeBytes { reader.append($0) }
                while let request = try reader.next() {
                    bodies.append(String(decoding: request.body, as: UTF8.self))
                }
            }
            #expect(bodies == ["abc0123456789"], "in pieces of \(size)")
        }
        #expect(status(text, limit: 12) == 413)
    }

    @Test(arguments: [
        "GET / HTTP/1.1\nHost: h\n\n", "GET / HTTP/1.1\r\nHost: h\n\r\n",
        "GET / HTTP/1.1\r\nA: b\rc\r\n\r\n", "GET / HTTP/1.1\r\nA: b\r\n c\r\n\r\n",
        "GET / HTTP/1.1\r\nA : b\r\n\r\n", "GET / HTTP/1.1\r\n: b\r\n\r\n",
        "GET / HTTP/1.1\r\nA\u{0}: b\r\n\r\n", "GET / HTTP/1.1\r\nA: b\u{7F}\r\n\r\n",
        "GET  / HTTP/1.1\r\n\r\n", "GET / HTTP/1.1 \r\n\r\n", "GET\t/ HTTP/1.1\r\n\r\n",
        "G\r\n\r\n",
        "GET /%g0 HTTP/1.1\r\n\r\n", "GET /%0a HTTP/1.1\r\n\r\n", "GET /?a=%ff HTTP/1.1\r\n\r\n",
        "GET * HTTP/1.1\r\n\r\n", "GET / HTTP/1.1\r\nHost: a\r\nHost: a\r\n\r\n",
        "GET / HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 1\r\n\r\na",
        "GET / HTTP/1.1\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\na",
        "GET / HTTP/1.1\r\nContent-Length: 1,1\r\n\r\na",
        "GET / HTTP/1.1\r\nContent-Length: -1\r\n\r\n",
        "GET / HTTP/1.1\r\nContent-Length: 99999999999999999999\r\n\r\n",
        "GET / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n+1\r\na\r\n",
        "GET / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n1 \r\na\r\n",
        "GET / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n1\na\r\n",
        "GET / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nab\r\n",
        "GET / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n000000001\r\na\r\n",
        "GET / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\nA: b\n\r\n",
    ])
    func whatCanBeReadInTwoWaysIsRefused(text: String) { #expect(status(text) == 400, "\(text)") }

    @Test func whatIsTooMuchIsRefusedBeforeItIsHere() {
        let head = "POST / HTTP/1.1\r\nHost: h\r\n"
        #expect(status(head + "Content-Length: 100\r\n\r\n") == nil)
        #expect(status(head + "Content-Length: 101\r\n\r\n") == 413)
        #expect(status(head + "Transfer-Encoding: chunked\r\n\r\n65\r\n") == 413)
        #expect(status(head + "Transfer-Encoding: chunked\r\n\r\nffffffff\r\n") == 413)
        #expect(status(head + "Transfer-Encoding: gzip\r\n\r\n") == 501)
        #expect(status("GET / HTTP/2.0\r\n\r\n") == 505)
        let long = String(repeating: "a", count: HTTPHead.limitBytes)
        #expect(status("GET /" + long) == 431)
        #expect(status("GET / HTTP/1.1\r\nA: " + long) == 431)
        let chunked = head + "Transfer-Encoding: chunked\r\n\r\n"
        let trailers = String(repeating: "A: b\r\n", count: 2_000)
        #expect(status(chunked + "0\r\n" + trailers) == 431)
        #expect(status(chunked + "1;" + String(repeating: "x", count: 5_000)) == 400)
        #expect(status("GET /\r\n\r\n") == 505)
    }

    @Test func aClientThatWaitsIsToldToGoOnOnce() throws {
        let reader = reader(
            "POST / HTTP/1.1\r\nHost: h\r\nExpect: 100-Continue\r\nContent-Length: 2\r\n\r\n")
        #expect(try reader.next() == nil && reader.mustContinue && reader.isReading)
        reader.didContinue()
        #expect(try reader.next() == nil && !reader.mustContinue)
        Array("ab".utf8).withUnsafeBytes { reader.append($0) }
        #expect(try reader.next()?.body.count == 2)
        // Who sends it unasked needs no leave.
        let eager = self.reader(
            "POST / HTTP/1.1\r\nHost: h\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\na")
        #expect(try eager.next() == nil && !eager.mustContinue)
    }

    @Test func whatFollowsAnUpgradeIsHandedOn() throws {
        let reader = reader("GET /ws HTTP/1.1\r\nHost: h\r\n\r\n\u{1}\u{2}")
        #expect(try reader.next()?.segments == ["ws"])
        #expect(reader.takeRest() == [1, 2] && !reader.isReading)
    }

    @Test func aTargetMayNameItsHost() throws {
        let text = "GET http://other:1/x?y=1 HTTP/1.1\r\nHost: h\r\n\r\n"
        let request = try #require(try reader(text).next())
        #expect(request.headers["host"] == "other:1" && request.segments == ["x"])
        let bare = try #require(try reader("GET http://other HTTP/1.1\r\nHost: h\r\n\r\n").next())
        #expect(bare.segments == [] && bare.headers["host"] == "other")
    }

    /// Dots are a name like any other: there is no folder that they could leave.
    @Test func dotsAreNames() throws {
        let request = try #require(
            try reader("GET /../%2e%2e/a HTTP/1.1\r\nHost: h\r\n\r\n").next())
        #expect(request.segments == ["..", "..", "a"])
    }

    @Test func noiseIsRefusedOrWaitedFor() {
        var random = SeededRandom(seed: 9)
        let good = Array(
            "POST /a/b HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n"
                .utf8)
        for _ in 0..<2_000 {
            var bytes = good
            for _ in 0..<Int.random(in: 1...5, using: &random) {
                bytes[Int.random(in: 0..<bytes.count, using: &random)] =
                    UInt8.random(in: 0...255, using: &random)
            }
            let reader = HTTPReader(bodyLimit: 100)
            bytes.withUnsafeBytes { reader.append($0) }
            while let request = try? reader.next() { #expect(request.body.count <= 100) }
        }
    }
}
