import Rex
import RexExamples
import Testing

@testable import RexProtocol
@testable import RexServer

/// The actions of every store that the program hosts, against the codec.
@Suite struct HostedActionTests {
    private static let hosted: [(name: String, type: any WireAction.Type)] = [
        ("chat", ChatAction.self), ("counter", CounterAction.self), ("doc", DocumentAction.self),
    ]

    private enum Door: WireAction {
        case knock
        case open(Int)
        case close

        static let clientTypes = ["knock"]
        static let ownTypes = ["open"]
    }

    @Test func everyHostedStoreIsHere() {
        #expect(Self.hosted.map(\.name) == ServerSettings.knownStores)
    }

    @Test(arguments: ServerSettings.knownStores) func eachTypeIsACaseAndInOneList(_ name: String)
        throws
    {
        let type = try #require(Self.hosted.first { $0.name == name }?.type)
        let all = type.clientTypes + type.ownTypes
        #expect(!type.clientTypes.isEmpty)
        #expect(Set(all).count == all.count)
        for action in all {
            // What it carries may be missing; its type may not.
            let error = try error(of: type, #"{"type":"\#(action)"}"#)
            #expect(error?.at != JSONPointer(tokens: ["type"]), "\(action)")
        }
        #expect(try error(of: type, #"{"type":"nothing"}"#)?.at == JSONPointer(tokens: ["type"]))
    }

    @Test(arguments: ServerSettings.knownStores) func clientsSendWhatIsTheirs(_ name: String)
        throws
    {
        let type = try #require(Self.hosted.first { $0.name == name }?.type)
        for action in type.ownTypes {
            #expect(try refusal(of: type, #"{"type":"\#(action)"}"#)?.code == .forbidden)
        }
        for action in type.clientTypes {
            #expect(try refusal(of: type, #"{"type":"\#(action)"}"#)?.code != .forbidden)
        }
    }

    @Test func aTypeThatIsInNoListIsNotForClients() throws {
        #expect(try refusal(of: Door.self, #"{"type":"knock"}"#) == nil)
        #expect(try refusal(of: Door.self, #"{"type":"open","payload":1}"#)?.code == .forbidden)
        // Forbidden whatever it carries: a client learns nothing of the store's own.
        #expect(try refusal(of: Door.self, #"{"type":"open","payload":"x"}"#)?.code == .forbidden)
        let close = try refusal(of: Door.self, #"{"type":"close"}"#)
        #expect(close?.code == .forbidden)
        #expect(close?.at == JSONPointer(tokens: ["action", "type"]))
        #expect(try refusal(of: Door.self, #"{"type":"slam"}"#)?.code == .badAction)
        #expect(try refusal(of: Door.self, #"{"payload":1}"#)?.code == .badFrame)
        #expect(try ActionCodec.encode(Door.close) == RawJSON(parsing: #"{"type":"close"}"#))
    }

    /// What is wrong with it, whoever sent it.
    private func error<A: WireAction>(of type: A.Type, _ text: String) throws -> ActionError? {
        let json = try RawJSON(parsing: text)
        do throws(ActionError) {
            _ = try ActionCodec.decode(type, from: json)
            return nil
        } catch {
            return error
        }
    }

    /// What is wrong with it where a client sent it.
    private func refusal<A: WireAction>(of type: A.Type, _ text: String) throws -> ActionError? {
        let refusal = try RawJSON(parsing: text).withNode { node -> ActionError? in
            do throws(ActionError) {
                _ = try ActionCodec.decodeFromClient(
                    type, from: node, at: JSONPointer(tokens: ["action"]))
                return nil
            } catch {
                return error
            }
        }
        return try #require(refusal)
    }
}
