import FoundationEssentials
import Rex
import RexProtocol

private enum NoteAction: WireAction, Codable {
    case add(Int)
    case move(from: String, to: String)
    case write(room: String, text: String)

    static let clientTypes = ["add", "move", "write"]
}

/// The same action as Foundation's coder has it.
private struct FoundationFrame: Decodable {
    struct Action: Decodable {
        struct Payload: Decodable {
            var room: String
            var text: String
        }
        var type: String
        var payload: Payload
    }
    var op: String
    var id: Int
    var store: String
    var action: Action
}

private let dispatch =
    #"{"op":"dispatch","id":7,"store":"chat","action":{"type":"write","payload":"#
    + #"{"room":"general","text":"the text of a message, as long as most are"}}}"#

/// One dispatch frame: from its bytes to the action's value.
func codecTable() async {
    print("codec: a dispatch frame of \(dispatch.utf8.count) bytes, median of 5")
    let parser = JSONParser()
    let bytes = Array(dispatch.utf8)
    let count = 200_000
    await row("parse to a tape", count: count, unit: "frames") {
        for _ in 0..<count { bytes.withUnsafeBytes { keep(try? parser.parse($0)) } }
    }
    await row("decode into the action", count: count, unit: "frames") {
        for _ in 0..<count {
            bytes.withUnsafeBytes { bytes in
                do {
                    guard case .dispatch(let frame) = try ClientFrame.decode(parser.parse(bytes)),
                        case .node(let node) = frame.action
                    else { return print("not a dispatch") }
                    keep(try ActionCodec.decodeFromClient(NoteAction.self, from: node, at: .root))
                } catch {
                    print(error)
                }
            }
        }
    }
    let data = Data(bytes)
    let decoder = JSONDecoder()
    await row("Foundation's JSONDecoder", count: count / 10, unit: "frames") {
        for _ in 0..<count / 10 {
            do { keep(try decoder.decode(FoundationFrame.self, from: data)) } catch { print(error) }
        }
    }
    await row("an ack, encoded", count: count, unit: "frames") {
        var writer = JSONWriter(capacity: 256)
        for number in 0..<count {
            var ack = ServerFrame.Ack(id: 7, store: "chat")
            ack.rev = number
            ServerFrame.ack(ack).encode(into: &writer)
            if writer.bytes.count > 60_000 { writer = JSONWriter(capacity: 256) }
        }
        keep(writer)
    }
}
