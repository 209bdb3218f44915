import RexLoop
import RexProtocol

@testable import RexClient

/// How long a test waits for what must come: far longer than it takes on a busy machine.
let patience: Duration = .seconds(60)

/// A server whose answers are written by the test: each line that comes is given to a closure,
/// which writes lines. Lives on the client's own loop.
@ClientLoop final class ScriptedServer {
    /// One connection to it.
    @ClientLoop final class Peer: @ClientLoop SocketOwner {
        let socket: Socket
        let number: Int
        private let server: ScriptedServer
        private var splitter = LineSplitter()
        private var backlog: [Chunk] = []

        init(_ socket: Socket, _ number: Int, _ server: ScriptedServer) {
            self.socket = socket
            self.number = number
            self.server = server
            socket.owner = self
            socket.startReading()
        }

        func write(_ line: String) {
            backlog.append(Chunk(Array("\(line)\n".utf8)))
            drain()
        }

        func welcome(_ hello: JSONValue, session: String) {
            write(
                #"{"op":"welcome","id":\#(hello.id),"protocol":1,"server":"s/1","client":"c1","#
                    + #""session":"\#(session)","stores":[],"limits":{}}"#)
        }

        private func drain() {
            guard !socket.isDraining, !backlog.isEmpty else { return }
            let chunks = backlog
            backlog = []
            let all = Chunk(chunks.flatMap { Array($0.bytes) })
            let taken = socket.write([all], offset: 0)
            if taken < all.count, !socket.isClosing { socket.writeLater([all], offset: taken) }
        }

        func socket(_ socket: Socket, didRead bytes: UnsafeRawBufferPointer) {
            var lines: [JSONValue] = []
            try? splitter.feed(bytes) { line in
                if let raw = try? RawJSON(parsing: Array(line)) { lines.append(raw.value) }
            }
            for line in lines { server.answer(self, line) }
        }

        func socketDidDrain(_ socket: Socket) { drain() }
        /// How the client's side ended.
        enum Ending { case finished, reset }
        private(set) var ending: Ending?

        func socketDidEnd(_ socket: Socket) {
            ending = .finished
            socket.finish()
        }

        func socketDidClose(_ socket: Socket, error: LoopError?) {
            if ending == nil, error != nil { ending = .reset }
        }
    }

    private var listener: Listener?
    private(set) var peers: [Peer] = []
    fileprivate let answer: @ClientLoop (Peer, JSONValue) -> Void
    private(set) var url = RexURL.default

    init(
        port: UInt16 = 0, _ answer: @escaping @ClientLoop (Peer, JSONValue) -> Void
    ) throws {
        self.answer = answer
        listener = try Listener(
            .tcp(host: "127.0.0.1", port: port), on: ClientLoop.shared.loop
        ) { [weak self] socket in
            guard let self else { return socket.close() }
            peers.append(Peer(socket, peers.count + 1, self))
        }
        url = RexURL(listener!.endpoint)
    }

    func hangUp() { for peer in peers { peer.socket.close() } }

    func close() {
        listener?.close()
        hangUp()
    }
}

extension JSONValue {
    /// The `op` of a frame.
    var op: String { self["op"]?.string ?? "" }
    /// The `id` of a frame, as text to be put into an answer.
    var id: String { self["id"]?.description ?? "null" }
}
