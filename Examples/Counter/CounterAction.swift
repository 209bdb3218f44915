public import RexProtocol

/// What can happen to a counter.
public enum CounterAction: WireAction {
    case increment
    case decrement
    case add(Int)
    case startTimer(dueTimeMilliseconds: Int, periodMilliseconds: Int)
    case stopTimer
    case showAlert(String)
    case fetch(delayMilliseconds: Int, fail: Bool)

    // The store's own.
    case tick
    case fetched(String)
    case failed(String)
    case reconcile(clients: [String], effects: [String])

    public static let clientTypes = [
        "increment", "decrement", "add", "startTimer", "stopTimer", "showAlert", "fetch",
    ]
    public static let ownTypes = ["tick", "fetched", "failed", "reconcile"]

    public static func reconcile(clients: [String], effects: [String]) -> CounterAction? {
        .reconcile(clients: clients, effects: effects) as CounterAction
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
