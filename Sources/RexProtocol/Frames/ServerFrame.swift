import FoundationEssentials
import Rex

/// A frame from the server, one case per reply and push.
public enum ServerFrame: Sendable, Equatable {
    /// Answers `hello`.
    case welcome(Welcome)
    /// Says that it is done.
    case ack(Ack)
    /// A state, asked for or pushed.
    case state(State)
    /// Answers `subscribe`.
    case subscribed(Subscribed)
    /// A change for a subscription.
    case patch(Patch)
    /// Answers `listen`.
    case listening(Listening)
    /// An event for a listener.
    case event(Event)
    /// Answers `effects`.
    case effects(Effects)
    /// Answers `history`.
    case history(History)
    /// Answers `diff`.
    case diff(Diff)
    /// Answers `hash`.
    case hash(Hash)
    /// Answers `clients`.
    case clients(Clients)
    /// Answers `ping`.
    case pong(id: FrameID?)
    /// Asks whether the client is there.
    case ping(id: FrameID?)
    /// Stands for events that a slow listener lost.
    case dropped(listen: String, count: Int)
    /// Says what was wrong.
    case error(id: FrameID?, WireError)
    /// Says why the connection closes.
    case bye(Bye)

    /// A hosted store as `welcome` lists it.
    public struct Store: Sendable, Equatable {
        /// The name.
        public var name: String
        /// Changes when history can no longer be continued.
        public var epoch: String
        /// The revision.
        public var rev: Int
        /// Makes one; what is not named keeps its default.
        public init(name: String, epoch: String, rev: Int) {
            self.name = name
            self.epoch = epoch
            self.rev = rev
        }
    }

    /// The answer to `hello`.
    public struct Welcome: Sendable, Equatable {
        /// What the client called the frame.
        public var id: FrameID?
        /// The version of the protocol.
        public var version = 1
        /// Name and version of the server's program.
        public var server: String
        /// The session to come back with.
        public var session: String
        /// Who it is.
        public var client: ClientIdentity
        /// The hosted stores, the default one first.
        public var stores: [Store] = []
        /// The server's limits by name; written in the order of the names.
        public var limits: [String: Int] = [:]
        /// Makes one; what is not named keeps its default.
        public init(id: FrameID?, server: String, session: String, client: ClientIdentity) {
            self.id = id
            self.server = server
            self.session = session
            self.client = client
        }
    }

    /// What was asked for is done.
    public struct Ack: Sendable, Equatable {
        /// What the client called the frame.
        public var id: FrameID?
        /// The store.
        public var store: String?
        /// The revision.
        public var rev: Int?
        /// Whether this is the answer that the first dispatch with the same key got.
        public var duplicate = false
        /// Only find out what would change.
        public var dryRun = false
        /// What a dry run would change.
        public var patch: RawJSON?
        /// How many listeners an event met.
        public var listeners: Int?
        /// How many effects were cancelled.
        public var cancelled: Int?
        /// Makes one; what is not named keeps its default.
        public init(id: FrameID?, store: String? = nil, rev: Int? = nil) {
            self.id = id
            self.store = store
            self.rev = rev
        }
    }

    /// The state at a path: the answer to `get` (with `id`) or a push (with `sub`).
    public struct State: Sendable, Equatable {
        /// What the client called the frame.
        public var id: FrameID?
        /// The name of the subscription.
        public var sub: String?
        /// The store.
        public var store: String
        /// The place in the state.
        public var path: JSONPointer
        /// Changes when history can no longer be continued.
        public var epoch: String
        /// The revision.
        public var rev: Int
        /// The state at the path.
        public var state: RawJSON
        /// Makes one; what is not named keeps its default.
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

    /// A subscription has begun.
    public struct Subscribed: Sendable, Equatable {
        /// What the client called the frame.
        public var id: FrameID?
        /// The name of the subscription.
        public var sub: String
        /// The store.
        public var store: String
        /// The place in the state.
        public var path: JSONPointer
        /// The projection, where one was asked for.
        public var view: String?
        /// Changes when history can no longer be continued.
        public var epoch: String
        /// The revision.
        public var rev: Int
        /// Whether the missing commits follow instead of a state.
        public var resumed: Bool
        /// Nil where the subscription was resumed.
        public var state: RawJSON?
        /// Makes one; what is not named keeps its default.
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

    /// What changed for a subscription.
    public struct Patch: Sendable, Equatable {
        /// The name of the subscription.
        public var sub: String
        /// The store.
        public var store: String
        /// The revision that the patch applies to.
        public var from: Int
        /// The revision that it leads to.
        public var rev: Int
        /// The changes (RFC 6902).
        public var patch: RawJSON
        /// Makes one; what is not named keeps its default.
        public init(sub: String, store: String, from: Int, rev: Int, patch: RawJSON) {
            self.sub = sub
            self.store = store
            self.from = from
            self.rev = rev
            self.patch = patch
        }
    }

    /// A listener has begun.
    public struct Listening: Sendable, Equatable {
        /// What the client called the frame.
        public var id: FrameID?
        /// The name of the listener.
        public var listen: String
        /// The topic.
        public var topic: String
        /// Makes one; what is not named keeps its default.
        public init(id: FrameID?, listen: String, topic: String) {
            self.id = id
            self.listen = listen
            self.topic = topic
        }
    }

    /// Who was behind a commit or an event.
    public enum Sender: Sendable, Equatable {
        /// A client.
        case client(ClientIdentity)
        /// An effect by its id, or `#<number>` where it has none.
        case effect(String)
    }

    /// An event for a listener.
    public struct Event: Sendable, Equatable {
        /// The name of the listener.
        public var listen: String
        /// The topic.
        public var topic: String
        /// What the event says.
        public var data: RawJSON
        /// The first revision.
        public var from: Sender?
        /// The store whose own event it is, and the commit.
        public var store: String?
        /// The revision.
        public var rev: Int?
        /// Makes one; what is not named keeps its default.
        public init(listen: String, topic: String, data: RawJSON, from: Sender? = nil) {
            self.listen = listen
            self.topic = topic
            self.data = data
            self.from = from
        }
    }

    /// The last frame before the server closes.
    public struct Bye: Sendable, Equatable {
        /// A code that is not known here reads as `internal`.
        public var code: CloseReason
        /// The reason for a person.
        public var message: String
        /// Whether coming back makes sense.
        public var reconnect: Bool
        /// `reconnect` is the reason's own where it is not given.
        public init(_ code: CloseReason, _ message: String, reconnect: Bool? = nil) {
            self.code = code
            self.message = message
            self.reconnect = reconnect ?? code.reconnect
        }
    }
}
