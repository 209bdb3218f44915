import FoundationEssentials
import Rex

// The answers that list what there is and what was.
extension ServerFrame {
    /// An effect that runs.
    public struct Effect: Sendable, Equatable {
        /// What the client called the frame.
        public var id: String
        /// `store`, `node:<id>` or `client:<id>`.
        public var scope: String
        /// The commit that started it.
        public var fromRev: Int
        /// Actions that it has dispatched.
        public var emitted: Int
        /// How long it has been running.
        public var ageMilliseconds: Int
        /// Makes one; what is not named keeps its default.
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

    /// The effects of a store.
    public struct Effects: Sendable, Equatable {
        /// What the client called the frame.
        public var id: FrameID?
        /// The store.
        public var store: String
        /// The effects that run.
        public var effects: [Effect]
        /// Makes one; what is not named keeps its default.
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
        /// The last revision.
        public var to: Int
        /// Makes one; what is not named keeps its default.
        public init(op: String, to: Int) {
            self.op = op
            self.to = to
        }
    }

    /// A commit as `history` lists it.
    public struct Entry: Sendable, Equatable {
        /// The revision.
        public var rev: Int
        /// The time.
        public var at: Date
        /// Nil where the commit is travel.
        public var action: RawJSON?
        /// What a commit of time travel did.
        public var travel: Travel?
        /// The first revision.
        public var from: Sender?
        /// The changes (RFC 6902).
        public var patch: RawJSON?
        /// Makes one; what is not named keeps its default.
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

    /// Commits of a store.
    public struct History: Sendable, Equatable {
        /// What the client called the frame.
        public var id: FrameID?
        /// The store.
        public var store: String
        /// The commits, oldest first.
        public var entries: [Entry]
        /// Makes one; what is not named keeps its default.
        public init(id: FrameID?, store: String, entries: [Entry]) {
            self.id = id
            self.store = store
            self.entries = entries
        }
    }

    /// What changed between two revisions.
    public struct Diff: Sendable, Equatable {
        /// What the client called the frame.
        public var id: FrameID?
        /// The store.
        public var store: String
        /// The first revision.
        public var from: Int
        /// The last revision.
        public var to: Int
        /// The changes (RFC 6902).
        public var patch: RawJSON
        /// Makes one; what is not named keeps its default.
        public init(id: FrameID?, store: String, from: Int, to: Int, patch: RawJSON) {
            self.id = id
            self.store = store
            self.from = from
            self.to = to
            self.patch = patch
        }
    }

    /// The hash of a state in its canonical form.
    public struct Hash: Sendable, Equatable {
        /// What the client called the frame.
        public var id: FrameID?
        /// The store.
        public var store: String
        /// The revision.
        public var rev: Int
        /// `sha256:` and hexadecimal digits.
        public var hash: String
        /// Makes one; what is not named keeps its default.
        public init(id: FrameID?, store: String, rev: Int, hash: String) {
            self.id = id
            self.store = store
            self.rev = rev
            self.hash = hash
        }
    }

    /// A client as `clients` lists it.
    public struct Client: Sendable, Equatable {
        /// Who it is.
        public var client: ClientIdentity
        /// What it called its own program in `hello`.
        public var name: String?
        /// `lines`, `websocket`, `http` …
        public var transport: String
        /// When it connected.
        public var since: Date
        /// Makes one; what is not named keeps its default.
        public init(
            client: ClientIdentity, name: String? = nil, transport: String, since: Date
        ) {
            self.client = client
            self.name = name
            self.transport = transport
            self.since = since
        }
    }

    /// Who is connected.
    public struct Clients: Sendable, Equatable {
        /// What the client called the frame.
        public var id: FrameID?
        /// Who is connected.
        public var clients: [Client]
        /// Makes one; what is not named keeps its default.
        public init(id: FrameID?, clients: [Client]) {
            self.id = id
            self.clients = clients
        }
    }
}
