import Rex
import RexLoop
import RexProtocol

/// What the server needs of a hosted store, whatever its state and actions are.
///
/// Everything runs on the server's loop. A request that cannot be fulfilled throws the error for
/// the client.
protocol StoreHost: AnyObject {
    var name: String { get }
    /// Changes when history cannot be continued.
    var epoch: String { get }
    var revision: Int { get }
    /// Hears of events and faults. Set once by the server.
    var observer: (any StoreHostObserver)? { get set }
    /// Called after each commit, before its events.
    var onCommit: (() -> Void)? { get set }

    /// The store as the program has it: a `LocalHost` of its state and action.
    var local: AnyObject { get }

    /// Its part of the journal; nil where it lives in memory only.
    var journal: StoreJournal? { get }
    /// Takes what the last request needed to know of the journal; nil where it needed nothing.
    func takeQuestion() -> JournalReader.Question?
    /// Takes what was found: the request is made once more.
    func didRecall(_ result: Result<any Sendable, any Error>)
    /// Makes no commit until `thaw`.
    func freeze()
    /// Takes back what is not stored, as if it had not been; only while it is frozen.
    func goBackToStored()
    /// Makes commits again.
    func thaw()

    // Actions
    /// - Parameter willReduce: called before the action reaches the store; not where it is only
    ///   asked what it would do, and not where the answer is known already.
    func dispatch(
        _ request: DispatchRequest, from client: ClientIdentity, at now: UInt64,
        willReduce: () -> Void
    ) throws(WireError) -> DispatchResult
    /// What to ask the program before this is dispatched; nil where it wants to be asked nothing.
    func authorization(
        of request: DispatchRequest, from client: ClientIdentity
    ) throws(WireError) -> Authorization.Question?
    func travel(_ move: TravelMove, from client: ClientIdentity) throws(WireError) -> Int

    /// After a start: the state is made to agree with who and what is there, then the store's own
    /// first action.
    func didStart()

    // Clients
    func connect(_ client: ClientIdentity)
    func disconnect(_ client: ClientIdentity)

    // States
    var snapshot: any StateSnapshot { get }
    func snapshot(at revision: Int) throws(WireError) -> any StateSnapshot
    /// What may be seen at a place; `null` where there is nothing of it.
    func state(in snapshot: any StateSnapshot, at place: ReadPlace) throws(WireError) -> RawJSON
    /// The patch of what may be seen at a place, or nil where that is equal in both states.
    func patch(
        from old: any StateSnapshot, to new: any StateSnapshot, at place: ReadPlace
    ) throws(WireError) -> RawJSON?
    /// The hash of the present state. It tells something of all of it.
    func hash(of whole: ReadPlace) throws(WireError) -> String
    /// Commits, as one sees them who may see so much of the whole.
    func history(
        _ request: HistoryRequest, seeing whole: ReadPlace
    ) throws(WireError) -> [ServerFrame.Entry]
    func fork(as name: String, at revision: Int?) throws(WireError) -> any StoreHost

    /// How much it keeps.
    var holdings: StoreHoldings { get }

    // Effects
    var effects: [RunningEffect] { get }
    /// Cancels by id or `#number`; returns how many there were.
    func cancel(effect: String) -> Int
}

/// How much a store keeps, for who looks after the server.
struct StoreHoldings {
    var historyCommits = 0
    var historyBytes = 0
    var keys = 0
    /// What effects have sent and the loop has not taken yet.
    var mail = 0
}

/// Hears what a store does, on the loop, in order.
protocol StoreHostObserver: AnyObject {
    /// - Parameter topic: without the store's name in front.
    func didPublish(_ topic: String, _ data: RawJSON, revision: Int, from host: any StoreHost)
    func didFail(_ host: any StoreHost, _ fault: StoreHostFault)
}

/// What went wrong in a store where nobody waits for an answer.
struct StoreHostFault: Sendable {
    let text: String
    /// An effect was not started, because as many run as may.
    var isAtItsEffects = false
}

/// A dispatch as a store takes it: the action still as it came over the wire.
struct DispatchRequest {
    /// That its sender may.
    var leave: DispatchLeave
    var action: JSONNode
    /// What `action` is called in the frame, for the place of an error.
    var place: JSONPointer
    var key: String?
    var expect: Int?
    var dryRun = false
    /// The caller wants to know when the effects have ended.
    var awaitsEffects = false
}

/// What a dispatch came to.
enum DispatchResult {
    case committed(revision: Int, effects: EffectGroup?)
    /// The answer that the first dispatch with this key got.
    case duplicate(revision: Int)
    case dryRun(revision: Int, patch: RawJSON)
}

enum TravelMove {
    case undo, redo
    case jump(Int)
}

struct HistoryRequest: Equatable, Sendable {
    /// Entries after it, oldest first; nil for the newest ones.
    var after: Int?
    var limit: Int
    /// Only commits that touched this place.
    var path: JSONPointer?
}
