import FoundationEssentials
import Rex

/// A frame from the server, one case per reply and push.
public enum ServerFrame: Sendable, Equatable {
    case welcome(Welcome)
    case ack(Ack)
    case state(State)
    case subscribed(Subscribed)
    case patch(Patch)
    case listening(Listening)
    case event(Event)
    case effects(Effects)
    case history(History)
    case diff(Diff)
    case hash(Hash)
    case clients(Clients)
    case pong(id: FrameID?)
    case ping(id: FrameID?)
    case dropped(listen: String, count: Int)
    case error(id: FrameID?, WireError)
    case bye(Bye)

    /// A hosted store as `welcome` lists it.
    public struct Store: Sendable, Equatable {
        public var name: String
        public var epoch: String
        public var rev: Int
        public init(name: String, epoch: String, rev: Int) {
            self.name = name
            self.epoch = epoch
            self.rev = rev
        }
    }

    public struct Welcome: Sendable, Equatable {
        public var id: FrameID?
        public var version = 1
        /// Name and version of the server's program.
        public var server: String
        public var session: String
        public var client: ClientIdentity
        public var stores: [Store] = []
        /// The server's limits by name; written in the order of the names.
        public var limits: [String: Int] = [:]
        public init(id: FrameID?, server: String, session: String, client: ClientIdentity) {
            self.id = id
            self.server = server
            self.session = session
            self.client = client
        }
    }

    public struct Ack: Sendable, Equatable {
        public var id: FrameID?
        public var store: String?
        public var rev: Int?
        /// Whether this is the answer that the first dispatch with the same key got.
        public var duplicate = false
        public var dryRun = false
        /// What a dry run would change.
        public var patch: RawJSON?
        /// How many listeners an event met.
        public var listeners: Int?
        /// How many effects were cancelled.
        public var cancelled: Int?
        public init(id: FrameID?, store: String? = nil, rev: Int? = nil) {
            self.id = id
            self.store = store
            self.rev = rev
        }
    }

    /// The state at a path: the answer to `get` (with `id`) or a push (with `sub`).
    public struct State: Sendable, Equatable {
        public var id: FrameID?
        public var sub: String?
        public var store: String
        public var path: JSONPointer
        public var epoch: String
        public var rev: Int
        public var state: RawJSON
        public init(
            id: FrameID? = nil, sub: String? = nil, store: String, path: JSONPointer,
            epoch: String, rev: Int, state: RawJSON
        ) {
            self.id = id
            self.sub = sub
            self.store = store
            self.path = path
            self.epoch = epoch
            self.rev = rev
            self.state = state
        }
    }

    public struct Subscribed: Sendable, Equatable {
        public var id: FrameID?
        public var sub: String
        public var store: String
        public var path: JSONPointer
        /// The projection, where one was asked for.
        public var view: String?
        public var epoch: String
        public var rev: Int
        public var resumed: Bool
        /// Nil where the subscription was resumed.
        public var state: RawJSON?
        public init(
            id: FrameID?, sub: String, store: String, path: JSONPointer, view: String? = nil,
            epoch: String, rev: Int, resumed: Bool, state: RawJSON?
        ) {
            self.id = id
            self.sub = sub
            self.store = store
            self.path = path
            self.view = view
            self.epoch = epoch
            self.rev = rev
            self.resumed = resumed
            self.state = state
        }
    }

    public struct Patch: Sendable, Equatable {
        public var sub: String
        public var store: String
        /// The revision that the patch applies to.
        public var from: Int
        /// The revision that it leads to.
        public var rev: Int
        public var patch: RawJSON
        public init(sub: String, store: String, from: Int, rev: Int, patch: RawJSON) {
            self.sub = sub
            self.store = store
            self.from = from
            self.rev = rev
            self.patch = patch
        }
    }

    public struct Listening: Sendable, Equatable {
        public var id: FrameID?
        public var listen: String
        public var topic: String
        public init(id: FrameID?, listen: String, topic: String) {
            self.id = id
            self.listen = listen
            self.topic = topic
        }
    }

    /// Who was behind a commit or an event.
    public enum Sender: Sendable, Equatable {
        case client(ClientIdentity)
        /// An effect by its id, or `#<number>` where it has none.
        case effect(String)
    }

    public struct Event: Sendable, Equatable {
        public var listen: String
        public var topic: String
        public var data: RawJSON
        public var from: Sender?
        /// The store whose own event it is, and the commit.
        public var store: String?
        public var rev: Int?
        public init(listen: String, topic: String, data: RawJSON, from: Sender? = nil) {
            self.listen = listen
            self.topic = topic
            self.data = data
            self.from = from
        }
    }

    public struct Effect: Sendable, Equatable {
        public var id: String
        /// `store`, `node:<id>` or `client:<id>`.
        public var scope: String
        /// The commit that started it.
        public var fromRev: Int
        /// Actions that it has dispatched.
        public var emitted: Int
        public var ageMilliseconds: Int
        public init(
            id: String, scope: String, fromRev: Int, emitted: Int, ageMilliseconds: Int
        ) {
            self.id = id
            self.scope = scope
            self.fromRev = fromRev
            self.emitted = emitted
            self.ageMilliseconds = ageMilliseconds
        }
    }

    public struct Effects: Sendable, Equatable {
        public var id: FrameID?
        public var store: String
        public var effects: [Effect]
        public init(id: FrameID?, store: String, effects: [Effect]) {
            self.id = id
            self.store = store
            self.effects = effects
        }
    }

    /// What a commit of time travel did.
    public struct Travel: Sendable, Equatable {
        /// `undo`, `redo` or `jump`.
        public var op: String
        public var to: Int
        public init(op: String, to: Int) {
            self.op = op
            self.to = to
        }
    }

    /// A commit as `history` lists it.
    public struct Entry: Sendable, Equatable {
        public var rev: Int
        public var at: Date
        /// Nil where the commit is travel.
        public var action: RawJSON?
        public var travel: Travel?
        public var from: Sender?
        public var patch: RawJSON?
        public init(
            rev: Int, at: Date, action: RawJSON? = nil, travel: Travel? = nil,
            from: Sender? = nil, patch: RawJSON? = nil
        ) {
            self.rev = rev
            self.at = at
            self.action = action
            self.travel = travel
            self.from = from
            self.patch = patch
        }
    }

    public struct History: Sendable, Equatable {
        public var id: FrameID?
        public var store: String
        public var entries: [Entry]
        public init(id: FrameID?, store: String, entries: [Entry]) {
            self.id = id
            self.store = store
            self.entries = entries
        }
    }

    public struct Diff: Sendable, Equatable {
        public var id: FrameID?
        public var store: String
        public var from: Int
        public var to: Int
        public var patch: RawJSON
        public init(id: FrameID?, store: String, from: Int, to: Int, patch: RawJSON) {
            self.id = id
            self.store = store
            self.from = from
            self.to = to
            self.patch = patch
        }
    }

    public struct Hash: Sendable, Equatable {
        public var id: FrameID?
        public var store: String
        public var rev: Int
        /// `sha256:` and hexadecimal digits.
        public var hash: String
        public init(id: FrameID?, store: String, rev: Int, hash: String) {
            self.id = id
            self.store = store
            self.rev = rev
            self.hash = hash
        }
    }

    /// A client as `clients` lists it.
    public struct Client: Sendable, Equatable {
        public var client: ClientIdentity
        /// `lines`, `websocket`, `http` …
        public var transport: String
        public var since: Date
        public init(client: ClientIdentity, transport: String, since: Date) {
            self.client = client
            self.transport = transport
            self.since = since
        }
    }

    public struct Clients: Sendable, Equatable {
        public var id: FrameID?
        public var clients: [Client]
        public init(id: FrameID?, clients: [Client]) {
            self.id = id
            self.clients = clients
        }
    }

    public struct Bye: Sendable, Equatable {
        /// A code that is not known here reads as `internal`.
        public var code: CloseReason
        public var message: String
        public var reconnect: Bool
        /// `reconnect` is the reason's own where it is not given.
        public init(_ code: CloseReason, _ message: String, reconnect: Bool? = nil) {
            self.code = code
            self.message = message
            self.reconnect = reconnect ?? code.reconnect
        }
    }
}
