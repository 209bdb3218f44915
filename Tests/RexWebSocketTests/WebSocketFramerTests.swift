import RexTesting
import Testing

@testable import RexWebSocket

/// Frames into messages, without a socket.
@Suite struct WebSocketFramerTests {
    private let hello = Array("hello, 中😀é".utf8)

    @Test func aMessageIsReadHoweverItIsCut() {
        let bytes = frame(0x81, hello) + frame(0x82, [0, 1, 2]) + frame(0x81, "")
        let wanted: [Heard] = [.text("hello, 中😀é"), .binary([0, 1, 2]), .text("")]
        #expect(serverFramer().hear(bytes) == wanted)
        for size in 1..<bytes.count {
            let framer = serverFramer()
            var heard: [Heard] = []
            for start in stride(from: 0, to: bytes.count, by: size) {
                heard += framer.hear(bytes[start..<min(bytes.count, start + size)])
            }
            #expect(heard == wanted, "in pieces of \(size)")
        }
    }

    @Test func fragmentsAreOneMessageAndControlFramesMayStandBetween() {
        let framer = serverFramer()
        #expect(framer.hear(frame(0x01, hello.prefix(9))) == [])
        #expect(framer.hear(frame(0x89, [7])) == [.send([0x8A, 1, 7])])
        #expect(framer.hear(frame(0x8A, [9])) == [])
        #expect(framer.hear(frame(0x00, hello.dropFirst(9).prefix(2))) == [])
        #expect(framer.hear(frame(0x00, [])) == [])
        #expect(framer.hear(frame(0x80, hello.dropFirst(11))) == [.text("hello, 中😀é")])
        #expect(framer.hear(frame(0x81, "next")) == [.text("next")])
    }

    @Test func aStopKeepsTheRestForLater() {
        let framer = serverFramer()
        let bytes = frame(0x81, "1") + frame(0x81, "2") + frame(0x81, "3")
        #expect(framer.hear(bytes + frame(0x81, "45").dropLast(), most: 1) == [.text("1")])
        #expect(framer.hear([], most: 1) == [.text("2")])
        #expect(framer.hear([], most: 1) == [.text("3")])
        #expect(framer.hear([]) == [])
        #expect(framer.hear([UInt8(ascii: "5") ^ 0x05]) == [.text("45")])
    }

    /// What is wrong with a head is said when it is there, with no byte of the payload.
    @Test(
        arguments: [
            ([0x81, 0x05], 1002), ([0xC1, 0x85], 1002), ([0xA1, 0x85], 1002), ([0x83, 0x80], 1002),
            ([0x8B, 0x80], 1002), ([0x80, 0x85], 1002), ([0x09, 0x80], 1002), ([0x89, 0xFE], 1002),
            ([0x81, 0xFE, 0x03, 0xE9], 1009), ([0x81, 0xFE, 0xFF, 0xFF], 1009),
            ([0x81, 0xFF, 0, 0, 0, 1, 0, 0, 0, 0], 1009),
            ([0x81, 0xFF, 0x7F, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF], 1009),
            ([0x81, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF], 1002),
            ([0x81, 0xFE, 0, 125], 1002), ([0x81, 0xFF, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF], 1002),
        ] as [([UInt8], Int)])
    func aHeadThatIsNoGoodIsRefusedAtOnce(head: [UInt8], code: Int) {
        #expect(serverFramer().hear(head) == [.failure(code)])
        // Byte by byte, and behind other messages.
        let framer = serverFramer()
        #expect(framer.hear(frame(0x81, hello) + head.prefix(1)) == [.text("hello, 中😀é")])
        var heard: [Heard] = []
        for byte in head.dropFirst() { heard += framer.hear([byte]) }
        #expect(heard == [.failure(code)])
        #expect(framer.hasEnded && framer.hear(frame(0x81, "more")) == [])
        // Also where a reader has stopped in between.
        let stopped = serverFramer()
        let two = frame(0x81, "1") + frame(0x81, "2")
        #expect(stopped.hear(two + head, most: 1) == [.text("1")])
        #expect(stopped.hear([]) == [.text("2"), .failure(code)])
    }

    @Test func theLimitCountsAllFragments() {
        let whole = [UInt8](repeating: UInt8(ascii: "x"), count: 1_000)
        let text = String(decoding: whole, as: UTF8.self)
        #expect(serverFramer().hear(frame(0x81, whole)) == [.text(text)])
        let framer = serverFramer()
        #expect(framer.hear(frame(0x01, whole.prefix(600)) + frame(0x00, whole.prefix(300))) == [])
        #expect(framer.hear(frame(0x80, whole.prefix(100))) == [.text(text)])
        #expect(framer.hear(frame(0x01, whole.prefix(600)) + frame(0x00, whole.prefix(300))) == [])
        #expect(framer.hear([0x80, 0x80 | 101]) == [.failure(1009)])
    }

    @Test func textIsCheckedAsItComes() {
        #expect(serverFramer().hear(frame(0x81, [0xC3, 0x28])) == [.failure(1007)])
        #expect(serverFramer().hear(frame(0x81, [0xE4, 0xB8])) == [.failure(1007)])
        // Within a fragment, before the message ends, and before the frame does.
        let framer = serverFramer()
        #expect(framer.hear(frame(0x01, [0x41, 0xED])) == [])
        #expect(framer.hear(frame(0x00, [0xA0])) == [.failure(1007)])
        let long = frame(0x81, [UInt8](repeating: 0xFF, count: 500))
        #expect(serverFramer().hear(long.prefix(20)) == [.failure(1007)])
        // Bytes of a binary message are only bytes.
        #expect(serverFramer().hear(frame(0x82, [0xFF])) == [.binary([0xFF])])
    }

    @Test(
        arguments: [
            ([], [], nil), ([0x03, 0xE8], [0x03, 0xE8], 1000),
            ([0x03, 0xE8, 0x62, 0x79, 0x65], [0x03, 0xE8], 1000),
            ([0x0F, 0xA0], [0x0F, 0xA0], 4000),
        ] as [([UInt8], [UInt8], Int?)])
    func aCloseIsAnsweredAndNothingFollows(payload: [UInt8], answer: [UInt8], code: Int?) {
        let framer = serverFramer()
        #expect(
            framer.hear(frame(0x88, payload) + frame(0x81, "late"))
                == [.send([0x88, UInt8(answer.count)] + answer), .close(code)])
        #expect(framer.hasEnded && framer.close(1001, "") == [])
    }

    @Test(arguments: [
        0, 999, 1004, 1005, 1006, 1015, 1016, 2999, 5000, 65_535,
    ])
    func whatIsNoCloseCodeIsRefused(code: Int) {
        let payload = [UInt8(code >> 8), UInt8(code & 0xFF)]
        #expect(serverFramer().hear(frame(0x88, payload)) == [.failure(1002)])
    }

    @Test func aCloseOfHalfACodeOrOfNoTextIsRefused() {
        #expect(serverFramer().hear(frame(0x88, [3])) == [.failure(1002)])
        #expect(serverFramer().hear(frame(0x88, [0x03, 0xE8, 0xC3])) == [.failure(1007)])
    }

    @Test func whoHasSaidGoodbyeWaitsForTheAnswerAlone() {
        let framer = serverFramer()
        #expect(framer.close(1001, "going") == [0x88, 7, 0x03, 0xE9] + Array("going".utf8))
        #expect(framer.close(1001, "going") == [])
        #expect(framer.hear(frame(0x81, "late") + frame(0x89, [1])) == [])
        #expect(framer.hear(frame(0x88, [0x03, 0xE9])) == [.close(1001)])
    }

    @Test func aReasonIsCutBetweenCharacters() {
        let frame = serverFramer().close(1002, String(repeating: "é", count: 100))
        #expect(frame.prefix(4) == [0x88, 124, 0x03, 0xEA])
        #expect(String(decoding: frame.dropFirst(4), as: UTF8.self).count == 61)
    }

    @Test func eachSideReadsTheOther() {
        let client = WebSocketFramer(role: .client, limit: 100_000)
        let server = serverFramer(limit: 100_000)
        for count in [0, 1, 125, 126, 127, 65_535, 65_536, 70_000] {
            let payload = [UInt8](repeating: UInt8(ascii: "y"), count: count)
            let text = String(decoding: payload, as: UTF8.self)
            #expect(server.hear(client.text(payload)) == [.text(text)])
            #expect(client.hear(server.text(payload)) == [.text(text)])
            #expect(client.hear(server.binary(payload)) == [.binary(payload)])
        }
        #expect(client.hear(server.ping()).count == 1)
        // A client takes no masked frame.
        #expect(client.hear(frame(0x81, "x")) == [.failure(1002)])
    }

    @Test func noiseIsRefusedOrWaitedFor() {
        var random = SeededRandom(seed: 11)
        for _ in 0..<2_000 {
            let framer = serverFramer(limit: 100, inflates: Bool.random(using: &random))
            let count = Int.random(in: 0...400, using: &random)
            let bytes = (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }
            var rest = bytes[...]
            while !rest.isEmpty {
                let part = rest.prefix(Int.random(in: 1...rest.count, using: &random))
                rest = rest.dropFirst(part.count)
                for event in framer.hear(part) {
                    if case .text(let text) = event { #expect(text.utf8.count <= 100) }
                    if case .binary(let bytes) = event { #expect(bytes.count <= 100) }
                }
            }
        }
    }

    @Test func aHeadOfTheServerIsPutBeforeItsPayload() {
        for count in [0, 125, 126, 65_535, 65_536] {
            for isCompressed in [false, true] {
                var bytes = Array("before".utf8) + [UInt8](repeating: 0, count: WebSocketHead.room)
                bytes += [UInt8](repeating: 7, count: count)
                WebSocketHead.end(&bytes, from: 6, isCompressed: isCompressed)
                let payload = [UInt8](repeating: 7, count: count)
                let wanted = frame(isCompressed ? 0xC1 : 0x81, payload, isMasked: false)
                #expect(bytes == Array("before".utf8) + wanted)
            }
        }
    }
}
