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
        /// What the client called the frame.
        public var id: FrameID?
        /// Makes one; what is not named keeps its default.
        public init(id: FrameID? = nil) { self.id = id }
    }

    /// A frame about a store with nothing else to say.
    public struct StoreQuery: Sendable, Equatable {
        /// What the client called the frame.
        public var id: FrameID?
        /// Nil is the default store; so in all frames.
        public var store: String?
        /// Makes one; what is not named keeps its default.
        public init(id: FrameID? = nil, store: String? = nil) {
            self.id = id
            self.store = store
        }
    }

    /// Who the client is and what it wants kept.
    public struct Hello: Sendable, Equatable {
        /// What the client called the frame.
        public var id: FrameID?
        /// The version of the protocol; 1 where the client does not say.
        public var version = 1
        /// Proves the user.
        public var token: String?
        /// Name and version of the client's program.
        public var client: String?
        /// The session to come back to.
        public var session: String?
        /// How often the server shall ping while nothing else comes.
        public var heartbeatMilliseconds: Int?
        /// Makes one; what is not named keeps its default.
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

    /// An action and how it is to be applied.
    public struct Dispatch: Equatable {
        /// What the client called the frame.
        public var id: FrameID?
        /// The store; nil is the default one.
        public var store: String?
        /// The action.
        public var action: FrameBody
        /// Whether the frame is the action itself (`type` without `op`).
        public var isBare = false
        /// Makes a retry safe: the same key is applied once.
        public var key: String?
        /// Apply only at this revision.
        public var expect: Int?
        /// Nil is the default of the store.
        public var await: Await?
        /// Only find out what would change.
        public var dryRun = false
        /// Whether an ack is wanted; errors are reported either way.
        public var ack = true
        /// Makes one; what is not named keeps its default.
        public init(id: FrameID? = nil, store: String? = nil, action: FrameBody) {
            self.id = id
            self.store = store
            self.action = action
        }
        /// The action's place in the frame, the beginning of every place in an error of it.
        public var actionPlace: JSONPointer { isBare ? .root : Self.place }
        private static let place = JSONPointer(tokens: ["action"])
    }

    /// Which state is wanted.
    public struct Get: Sendable, Equatable {
        /// What the client called the frame.
        public var id: FrameID?
        /// The store; nil is the default one.
        public var store: String?
        /// The place in the state.
        public var path = JSONPointer.root
        /// The revision; nil is the present one.
        public var at: Int?
        /// Makes one; what is not named keeps its default.
        public init(id: FrameID? = nil, store: String? = nil) {
            self.id = id
            self.store = store
        }
    }

    /// A place in the history of a store.
    public struct Position: Sendable, Hashable {
        /// Changes when history can no longer be continued.
        public var epoch: String
        /// The revision.
        public var rev: Int
        /// Makes one; what is not named keeps its default.
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

    /// What becomes of a subscription or a listener whose reader is too slow.
    public enum Slow: String, Sendable, Equatable, CaseIterable {
        /// It goes on with less: patches are merged into one, of events the oldest are lost.
        case merge
        /// Its connection is closed with `too_slow`.
        case close
    }

    /// What to watch and how.
    public struct Subscribe: Equatable {
        /// What the client called the frame.
        public var id: FrameID?
        /// The store; nil is the default one.
        public var store: String?
        /// The place in the state.
        public var path = JSONPointer.root
        /// Resume after this position.
        public var since: Position?
        /// What comes after each change.
        public var mode = Mode.patch
        /// At most one frame in this time.
        public var throttleMilliseconds: Int?
        /// What happens where its reader is too slow.
        public var slow = Slow.merge
        /// A server-side projection instead of a path.
        public var view: String?
        /// What the view is told.
        public var params: FrameBody?
        /// Makes one; what is not named keeps its default.
        public init(id: FrameID? = nil, store: String? = nil) {
            self.id = id
            self.store = store
        }
    }

    /// Which subscription ends.
    public struct Unsubscribe: Sendable, Equatable {
        /// What the client called the frame.
        public var id: FrameID?
        /// The name of the subscription.
        public var sub: String
        /// Makes one; what is not named keeps its default.
        public init(id: FrameID? = nil, sub: String) {
            self.id = id
            self.sub = sub
        }
    }

    /// Which topics are wanted.
    public struct Listen: Sendable, Equatable {
        /// What the client called the frame.
        public var id: FrameID?
        /// What to listen to or to publish on.
        public var topic: TopicPattern
        /// What happens where its reader is too slow.
        public var slow = Slow.merge
        /// Makes one; what is not named keeps its default.
        public init(id: FrameID? = nil, topic: TopicPattern, slow: Slow = .merge) {
            self.id = id
            self.topic = topic
            self.slow = slow
        }
    }

    /// Which listener ends.
    public struct Unlisten: Sendable, Equatable {
        /// What the client called the frame.
        public var id: FrameID?
        /// The name of the listener.
        public var listen: String
        /// Makes one; what is not named keeps its default.
        public init(id: FrameID? = nil, listen: String) {
            self.id = id
            self.listen = listen
        }
    }

    /// An event.
    public struct Publish: Equatable {
        /// What the client called the frame.
        public var id: FrameID?
        /// What to listen to or to publish on.
        public var topic: Topic
        /// What the event says.
        public var data: FrameBody
        /// Whether an ack is wanted; errors are reported either way.
        public var ack = true
        /// Makes one; what is not named keeps its default.
        public init(id: FrameID? = nil, topic: Topic, data: FrameBody) {
            self.id = id
            self.topic = topic
            self.data = data
        }
    }

    /// Which effect ends.
    public struct Cancel: Sendable, Equatable {
        /// What the client called the frame.
        public var id: FrameID?
        /// The store; nil is the default one.
        public var store: String?
        /// The id of the effect, or `#<number>`.
        public var effect: String
        /// Makes one; what is not named keeps its default.
        public init(id: FrameID? = nil, store: String? = nil, effect: String) {
            self.id = id
            self.store = store
            self.effect = effect
        }
    }

    /// Where the cursor goes.
    public struct Jump: Sendable, Equatable {
        /// What the client called the frame.
        public var id: FrameID?
        /// The store; nil is the default one.
        public var store: String?
        /// The revision.
        public var rev: Int
        /// Makes one; what is not named keeps its default.
        public init(id: FrameID? = nil, store: String? = nil, rev: Int) {
            self.id = id
            self.store = store
            self.rev = rev
        }
    }

    /// Which commits are wanted.
    public struct HistoryQuery: Sendable, Equatable {
        /// What the client called the frame.
        public var id: FrameID?
        /// The store; nil is the default one.
        public var store: String?
        /// The commits after this revision, the oldest first; nil for the newest ones.
        public var after: Int?
        /// At most so many; nil is the server's limit.
        public var limit: Int?
        /// Only commits that touched this place.
        public var path: JSONPointer?
        /// Makes one; what is not named keeps its default.
        public init(id: FrameID? = nil, store: String? = nil) {
            self.id = id
            self.store = store
        }
    }

    /// Between which revisions.
    public struct DiffQuery: Sendable, Equatable {
        /// What the client called the frame.
        public var id: FrameID?
        /// The store; nil is the default one.
        public var store: String?
        /// The first revision.
        public var from: Int
        /// Nil is the present revision.
        public var to: Int?
        /// The place in the state.
        public var path = JSONPointer.root
        /// Makes one; what is not named keeps its default.
        public init(id: FrameID? = nil, store: String? = nil, from: Int, to: Int? = nil) {
            self.id = id
            self.store = store
            self.from = from
            self.to = to
        }
    }

    /// From where, and what the new store is called.
    public struct Fork: Sendable, Equatable {
        /// What the client called the frame.
        public var id: FrameID?
        /// The store; nil is the default one.
        public var store: String?
        /// Nil is the present revision.
        public var at: Int?
        /// The name of the new store.
        public var name: String
        /// Makes one; what is not named keeps its default.
        public init(id: FrameID? = nil, store: String? = nil, at: Int? = nil, as name: String) {
            self.id = id
            self.store = store
            self.at = at
            self.name = name
        }
    }
}
