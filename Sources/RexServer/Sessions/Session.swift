import Rex
import RexProtocol

/// A client as the server knows it: who it is, what it watches and listens to, what it is owed.
struct Session {
    /// The opaque name of the session, once `welcome` has given it out.
    var id: String?
    private(set) var client: ClientIdentity
    /// Who it is found to be; nil before that was asked.
    var principal: Principal? {
        didSet { permissions = (principal ?? .unknown).permissions }
    }
    /// What it may do; nothing before it is known.
    private(set) var permissions = Permissions.none
    /// What the client calls itself.
    var clientName: String?
    /// Some frame was served already: a `hello` comes too late.
    var hasSpoken = false

    var subscriptions: [Int: Subscription] = [:]
    var listeners: [Int: Listener] = [:]
    private var lastSubscription = 0
    private var lastListener = 0

    /// Acks that wait for effects to end, by numbers of the session's own.
    var awaited: [Int: AwaitedAck] = [:]
    private var lastAwaited = 0
    /// The names of the stores on which it is present.
    var presentOn: Set<String> = [] {
        didSet { lastPresent = nil }
    }
    /// The store on which it was last found to be present.
    private var lastPresent: ObjectIdentifier?

    /// Milliseconds between pings while the client is silent; 0 when it wants none.
    var heartbeat: UInt64 = 0
    /// How many pings it has left without a sign of life.
    var unansweredPings = 0
    /// It was silent for too long when that was last looked at.
    var isSuspect = false
    /// The loop's milliseconds when it was last heard of.
    private(set) var lastHeard: UInt64 = 0

    /// It has sent something.
    mutating func hear(at milliseconds: UInt64) {
        lastHeard = milliseconds
        unansweredPings = 0
        isSuspect = false
    }

    init(client: ClientIdentity) {
        self.client = client
    }

    /// It is found out whose it is.
    mutating func become(_ principal: Principal) {
        self.principal = principal
        if !client.isUser(principal.user) {
            client = ClientIdentity(id: client.id, user: principal.user)
        }
    }

    /// The name that is given out in `welcome`.
    mutating func issueID() -> String {
        let name = id ?? Identifiers.fresh()
        id = name
        return name
    }

    /// Makes it present on a store; false where it was.
    mutating func enter(_ store: HostedStore) -> Bool {
        if lastPresent == ObjectIdentifier(store) { return false }
        let isNew = presentOn.insert(store.host.name).inserted
        lastPresent = ObjectIdentifier(store)
        return isNew
    }

    /// Becomes the client that it was on an earlier connection.
    mutating func adopt(_ name: String, _ client: ClientIdentity, presentOn: Set<String>) {
        id = name
        self.client = client
        self.presentOn = presentOn
    }

    /// The number of the next subscription: 3 stands for `s3`. Never used twice.
    mutating func nextSubscriptionNumber() -> Int {
        lastSubscription += 1
        return lastSubscription
    }

    /// The number of the next listener: 3 stands for `t3`. Never used twice.
    mutating func nextListenerNumber() -> Int {
        lastListener += 1
        return lastListener
    }

    /// Notes an ack that waits, and returns its number.
    mutating func await(_ ack: AwaitedAck) -> Int {
        lastAwaited += 1
        awaited[lastAwaited] = ack
        return lastAwaited
    }

    /// What a client takes part in.
    struct Participation {
        var subscriptions: [Subscription] = []
        var listeners: [Listener] = []
        var presentOn: Set<String> = []
    }

    /// Hands over what it takes part in, to be ended; the second time there is nothing.
    mutating func takeParticipation() -> Participation {
        defer {
            subscriptions = [:]
            listeners = [:]
            presentOn = []
        }
        return Participation(
            subscriptions: Array(subscriptions.values), listeners: Array(listeners.values),
            presentOn: presentOn)
    }

    /// Nothing more will be sent to it unless it asks.
    var isOwedNothing: Bool {
        subscriptions.isEmpty && listeners.isEmpty && awaited.isEmpty
    }

    /// The number in a name such as `s12`, if the text is exactly such a name.
    static func number(in text: String, prefix: Character) -> Int? {
        guard text.first == prefix, let number = Int(text.dropFirst()), number > 0,
            text == "\(prefix)\(number)"
        else { return nil }
        return number
    }
}

/// An action that is committed, whose client waits to hear that its effects have ended.
struct AwaitedAck {
    let id: FrameID?
    let store: String
    let revision: Int
}
