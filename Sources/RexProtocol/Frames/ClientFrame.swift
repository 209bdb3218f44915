import Rex

/// A frame from a client, one case per op.
///
/// It is not Sendable: what was received is still on the parser's tape.
public enum ClientFrame: Equatable {
    /// Says who the client is; where it is sent, it comes first.
    case hello(Hello)
    /// Asks a store for an action.
    case dispatch(Dispatch)
    /// Asks for the state at a place and revision.
    case get(Get)
    /// Asks for the state and every patch after it.
    case subscribe(Subscribe)
    /// Ends a subscription.
    case unsubscribe(Unsubscribe)
    /// Asks for the events of topics.
    case listen(Listen)
    /// Ends a listener.
    case unlisten(Unlisten)
    /// Sends an event to whoever listens.
    case publish(Publish)
    /// Asks which effects run.
    case effects(StoreQuery)
    /// Ends an effect.
    case cancel(Cancel)
    /// Moves the cursor over the states one back.
    case undo(StoreQuery)
    /// Moves the cursor one forward.
    case redo(StoreQuery)
    /// Moves the cursor to a revision.
    case jump(Jump)
    /// Asks for commits.
    case history(HistoryQuery)
    /// Asks for the patch between two revisions.
    case diff(DiffQuery)
    /// Makes a new store from a state.
    case fork(Fork)
    /// Asks for the hash of the present state.
    case hash(StoreQuery)
    /// Asks who is there.
    case clients(Bare)
    /// Asks for a pong.
    case ping(Bare)
    /// Answers the server's ping.
    case pong(Bare)

    /// The names of all ops, in the order of protocol.md.
    public static let ops = [
        "hello", "dispatch", "get", "subscribe", "unsubscribe", "listen", "unlisten", "publish",
        "effects", "cancel", "undo", "redo", "jump", "history", "diff", "fork", "hash", "clients",
        "ping", "pong",
    ]

    /// A frame with nothing but an id.
    public struct Bare: Sendable, Equatable {
        public var id: FrameID?
        public init(id: FrameID? = nil) { self.id = id }
    }

    /// A frame about a store with nothing else to say.
    public struct StoreQuery: Sendable, Equatable {
        public var id: FrameID?
        /// Nil is the default store; so in all frames.
        public var store: String?
        public init(id: FrameID? = nil, store: String? = nil) {
            self.id = id
            self.store = store
        }
    }

    public struct Hello: Sendable, Equatable {
        public var id: FrameID?
        /// The version of the protocol; 1 where the client does not say.
        public var version = 1
        public var token: String?
        /// Name and version of the client's program.
        public var client: String?
        /// The session to come back to.
        public var session: String?
        /// How often the server shall ping while nothing else comes.
        public var heartbeatMilliseconds: Int?
        public init(id: FrameID? = nil) { self.id = id }
    }

    /// When an ack is wanted.
    public enum Await: String, Sendable, Equatable, CaseIterable {
        /// When the action is reduced.
        case applied
        /// When it is safely stored too.
        case durable
        /// When the effects that end by themselves have ended too.
        case effects
    }

    public struct Dispatch: Equatable {
        public var id: FrameID?
        public var store: String?
        public var action: FrameBody
        /// Whether the frame is the action itself (`type` without `op`).
        public var isBare = false
        public var key: String?
        public var expect: Int?
        /// Nil is the default of the store.
        public var await: Await?
        public var dryRun = false
        public var ack = true
        public init(id: FrameID? = nil, store: String? = nil, action: FrameBody) {
            self.id = id
            self.store = store
            self.action = action
        }
        /// The action's place in the frame, the beginning of every place in an error of it.
        public var actionPlace: JSONPointer { isBare ? .root : Self.place }
        private static let place = JSONPointer(tokens: ["action"])
    }

    public struct Get: Sendable, Equatable {
        public var id: FrameID?
        public var store: String?
        public var path = JSONPointer.root
        /// The revision; nil is the present one.
        public var at: Int?
        public init(id: FrameID? = nil, store: String? = nil) {
            self.id = id
            self.store = store
        }
    }

    /// A place in the history of a store.
    public struct Position: Sendable, Hashable {
        public var epoch: String
        public var rev: Int
        public init(epoch: String, rev: Int) {
            self.epoch = epoch
            self.rev = rev
        }
    }

    /// What a subscription gets after each change.
    public enum Mode: String, Sendable, Equatable, CaseIterable {
        /// The difference.
        case patch
        /// The whole state at the path.
        case state
    }

    public struct Subscribe: Equatable {
        public var id: FrameID?
        public var store: String?
        public var path = JSONPointer.root
        public var since: Position?
        public var mode = Mode.patch
        public var throttleMilliseconds: Int?
        /// A server-side projection instead of a path.
        public var view: String?
        /// What the view is told.
        public var params: FrameBody?
        public init(id: FrameID? = nil, store: String? = nil) {
            self.id = id
            self.store = store
        }
    }

    public struct Unsubscribe: Sendable, Equatable {
        public var id: FrameID?
        public var sub: String
        public init(id: FrameID? = nil, sub: String) {
            self.id = id
            self.sub = sub
        }
    }

    public struct Listen: Sendable, Equatable {
        public var id: FrameID?
        public var topic: TopicPattern
        public init(id: FrameID? = nil, topic: TopicPattern) {
            self.id = id
            self.topic = topic
        }
    }

    public struct Unlisten: Sendable, Equatable {
        public var id: FrameID?
        public var listen: String
        public init(id: FrameID? = nil, listen: String) {
            self.id = id
            self.listen = listen
        }
    }

    public struct Publish: Equatable {
        public var id: FrameID?
        public var topic: Topic
        public var data: FrameBody
        public var ack = true
        public init(id: FrameID? = nil, topic: Topic, data: FrameBody) {
            self.id = id
            self.topic = topic
            self.data = data
        }
    }

    public struct Cancel: Sendable, Equatable {
        public var id: FrameID?
        public var store: String?
        public var effect: String
        public init(id: FrameID? = nil, store: String? = nil, effect: String) {
            self.id = id
            self.store = store
            self.effect = effect
        }
    }

    public struct Jump: Sendable, Equatable {
        public var id: FrameID?
        public var store: String?
        public var rev: Int
        public init(id: FrameID? = nil, store: String? = nil, rev: Int) {
            self.id = id
            self.store = store
            self.rev = rev
        }
    }

    public struct HistoryQuery: Sendable, Equatable {
        public var id: FrameID?
        public var store: String?
        /// The commits after this revision.
        public var after = 0
        /// At most so many; nil is the server's limit.
        public var limit: Int?
        /// Only commits that touched this place.
        public var path: JSONPointer?
        public init(id: FrameID? = nil, store: String? = nil) {
            self.id = id
            self.store = store
        }
    }

    public struct DiffQuery: Sendable, Equatable {
        public var id: FrameID?
        public var store: String?
        public var from: Int
        /// Nil is the present revision.
        public var to: Int?
        public var path = JSONPointer.root
        public init(id: FrameID? = nil, store: String? = nil, from: Int, to: Int? = nil) {
            self.id = id
            self.store = store
            self.from = from
            self.to = to
        }
    }

    public struct Fork: Sendable, Equatable {
        public var id: FrameID?
        public var store: String?
        /// Nil is the present revision.
        public var at: Int?
        /// The name of the new store.
        public var name: String
        public init(id: FrameID? = nil, store: String? = nil, at: Int? = nil, as name: String) {
            self.id = id
            self.store = store
            self.at = at
            self.name = name
        }
    }
}
