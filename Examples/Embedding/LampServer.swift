import Rex
import RexProtocol
import RexServer

struct Lamp: Statable, Codable { var on = false }

enum LampAction: WireAction {
    case flip
    static let clientTypes = ["flip"]
}

struct LampReducer: Reducer {
    func reduce(state: inout Lamp, action: LampAction) -> [Effect<LampAction>] {
        state.on.toggle()
        return []
    }
}

@main struct LampServer {
    static func main() async throws {
        let server = Server()
        try await server.host("lamp", LampReducer(), initialState: Lamp())
        let address = try await server.listen(on: "127.0.0.1:0")
        try await server.run(ready: { print("ready on", address) })
    }
}
