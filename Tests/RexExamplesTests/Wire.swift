import Rex
import RexProtocol
import Testing

/// Whether an action is this JSON, in both directions.
func expectWire<A: WireAction>(
    _ action: A, _ text: String, sourceLocation: SourceLocation = #_sourceLocation
) throws {
    let json = try RawJSON(parsing: text)
    #expect(try ActionCodec.encode(action) == json, sourceLocation: sourceLocation)
    #expect(try ActionCodec.decode(A.self, from: json) == action, sourceLocation: sourceLocation)
}

/// An action inside of another, which no shortcut reads.
private enum Nest<Action: WireAction>: WireAction {
    case nest(Action)

    static var clientTypes: [String] { ["nest"] }
}

/// Whether the shortcut of a type reads what `Codable` reads, or leaves it to that.
func expectSameDirectly<A: WireAction>(
    _ type: A.Type, _ text: String, isRead: Bool, sourceLocation: SourceLocation = #_sourceLocation
) throws {
    let parser = JSONParser()
    let action = try Array(text.utf8).withUnsafeBytes { A.readDirectly(try parser.parse($0)) }
    #expect((action != nil) == isRead, sourceLocation: sourceLocation)
    guard let action else { return }
    let nest = try RawJSON(parsing: #"{"type":"nest","payload":\#(text)}"#)
    let decoded = try ActionCodec.decode(Nest<A>.self, from: nest)
    #expect(decoded == .nest(action), sourceLocation: sourceLocation)
}

/// What is wrong with this JSON as an action; nil where nothing is.
func actionError<A: WireAction>(_ type: A.Type, _ text: String) throws -> ActionError? {
    let json = try RawJSON(parsing: text)
    do throws(ActionError) {
        _ = try ActionCodec.decode(type, from: json)
        return nil
    } catch {
        return error
    }
}

/// The JSON text of a value.
func text(_ value: some Encodable) throws -> String {
    var writer = JSONWriter()
    try JSONCoder.encode(value, into: &writer)
    return String(decoding: writer.bytes, as: UTF8.self)
}

/// A value read from its JSON text.
func value<T: Decodable>(_ type: T.Type, _ text: String) throws -> T {
    try JSONCoder.decode(type, from: RawJSON(parsing: text).value)
}

/// What an action's JSON says of its type.
struct Typed: Decodable {
    let type: String
}

/// What a host gets to dispatch, as a host asks for it: knowing only that it is a `WireAction`.
struct Told<A: WireAction> {
    static var client: ClientIdentity { ClientIdentity(id: "c1", user: nil) }

    let connected: A?
    let disconnected: A?
    let reconcile: A?

    init(_ type: A.Type) {
        connected = A.connected(Self.client)
        disconnected = A.disconnected(Self.client)
        reconcile = A.reconcile(clients: ["c1"], effects: ["x"])
    }
}
