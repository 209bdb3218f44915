import Testing

@testable import RexWebSocket

/// What a framer said, in a form that can be compared.
enum Heard: Equatable {
    case text(String)
    case binary([UInt8])
    case send([UInt8])
    case close(Int?)
    case failure(Int)
}

extension WebSocketFramer {
    /// Takes bytes and returns what it said, at most `most` events.
    func hear(_ bytes: some Sequence<UInt8>, most: Int = .max) -> [Heard] {
        var heard: [Heard] = []
        Array(bytes).withUnsafeBytes {
            take($0) { event in
                switch event {
                case .text(let text): heard.append(.text(String(decoding: text, as: UTF8.self)))
                case .binary(let bytes): heard.append(.binary(Array(bytes)))
                case .send(let bytes): heard.append(.send(bytes))
                case .close(let code): heard.append(.close(code))
                case .failure(let code, _): heard.append(.failure(code))
                }
                return heard.count < most
            }
        }
        return heard
    }
}

/// A server of small messages.
func serverFramer(limit: Int = 1_000, inflates: Bool = false) -> WebSocketFramer {
    WebSocketFramer(role: .server, limit: limit, inflates: inflates)
}

/// A frame of a client, by hand: nothing of what is tested makes it.
///
/// - Parameter claiming: the length in its head, where that is not the payload's.
func frame(
    _ first: UInt8, _ payload: some Collection<UInt8>, isMasked: Bool = true,
    claiming: UInt64? = nil
) -> [UInt8] {
    let mark: UInt8 = isMasked ? 0x80 : 0
    let count = claiming ?? UInt64(payload.count)
    var bytes = [first]
    switch count {
    case ..<126: bytes.append(mark | UInt8(count))
    case ..<65_536: bytes += [mark | 126, UInt8(count >> 8), UInt8(count & 0xFF)]
    default:
        bytes.append(mark | 127)
        for shift in (0..<8).reversed() {
            bytes.append(UInt8(truncatingIfNeeded: count >> (8 * UInt64(shift))))
        }
    }
    guard isMasked else { return bytes + payload }
    let mask: [UInt8] = [0xA1, 0x05, 0xFF, 0x3C]
    return bytes + mask + payload.enumerated().map { $1 ^ mask[$0 & 3] }
}

func frame(_ first: UInt8, _ text: String) -> [UInt8] { frame(first, Array(text.utf8)) }
