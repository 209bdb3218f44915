public import RexProtocol

/// What can happen to a counter.
public enum CounterAction: WireAction {
    /// Adds 1.
    case increment
    /// Takes 1 away.
    case decrement
    /// Adds a number; refused where the sum does not fit 64 bits.
    case add(Int)
    /// Ticks once after the due time and then every period. While it runs nothing changes.
    case startTimer(dueTimeMilliseconds: Int, periodMilliseconds: Int)
    /// Ends the ticks.
    case stopTimer
    /// Tells a person something, also when it is the same again.
    case showAlert(String)
    /// Gets an answer, or a failure, after a delay. A newer one replaces one under way.
    case fetch(delayMilliseconds: Int, fail: Bool)

    // The store's own.
    /// The timer's period has passed.
    case tick
    /// The answer has come.
    case fetched(String)
    /// No answer will come, and why.
    case failed(String)
    /// These clients and effects are there; whatever claims others ends.
    case reconcile(clients: [String], effects: [String])

    /// What clients may send.
    public static let clientTypes = [
        "increment", "decrement", "add", "startTimer", "stopTimer", "showAlert", "fetch",
    ]
    /// What only the store itself may dispatch.
    public static let ownTypes = ["tick", "fetched", "failed", "reconcile"]

    /// The dispatch after a restart, travel and a cancel.
    public static func reconcile(clients: [String], effects: [String]) -> CounterAction? {
        .reconcile(clients: clients, effects: effects) as CounterAction
    }

    /// The shortcut for what counts.
    public static func readDirectly(_ node: JSONNode) -> CounterAction? {
        guard let type = node["type"] else { return nil }
        guard let payload = node["payload"] else {
            if type.isEqual(to: "increment") { return .increment }
            return type.isEqual(to: "decrement") ? .decrement : nil
        }
        return type.isEqual(to: "add") ? payload.int.map { .add($0) } : nil
    }
}

// The names of the payload's members on the wire, where they are not the labels.
extension CounterAction {
    private enum StartTimerCodingKeys: String, CodingKey {
        case dueTimeMilliseconds = "dueTime_ms"
        case periodMilliseconds = "period_ms"
    }

    private enum FetchCodingKeys: String, CodingKey {
        case delayMilliseconds = "delay_ms"
        case fail
    }
}
