import Synchronization

/// Where a flow begins: what is sent into it reaches everybody who drives its `flow`.
///
/// Values arrive once and in the order in which they were sent, also where somebody who is told of
/// one sends the next: that one waits until everybody has heard the first.
@MainActor
public final class FlowSource<Element> {
    /// How many values may follow one another, each sent by somebody who was told of one before:
    /// past it the source would never come to rest.
    public static var chainLimit: Int { 100_000 }

    private var sinks: [(token: SubscriptionToken, call: @MainActor (Element) -> Void)] = []
    private var waiting = Fifo<Element>()
    /// True while somebody is told: what is sent then waits its turn.
    private(set) var isSending = false
    /// What whoever comes later is told first.
    private var latest: Element?
    private let remembers: Bool

    /// A source that tells only of what comes.
    public init() {
        remembers = false
    }

    /// A source that tells whoever comes later first of the last value; `element` is the first one.
    public init(_ element: Element) {
        remembers = true
        latest = element
    }

    /// What is sent from now on; where the source began with a value, the last one before that.
    public var flow: Flow<Element> {
        Flow { sink in self.attach(sink) }
    }

    /// Tells everybody of `element`.
    public func send(_ element: Element) {
        waiting.append(element)
        if isSending { return }
        isSending = true
        var count = 0
        while let next = waiting.popFirst() {
            count += 1
            precondition(
                count <= Self.chainLimit,
                "\(Self.chainLimit) values in a row, each sent by who heard of the one before")
            if remembers { latest = next }
            // Who comes while this is told has been told it already.
            for sink in sinks where !sink.token.isCancelled { sink.call(next) }
        }
        isSending = false
    }

    private func attach(_ sink: @escaping @MainActor (Element) -> Void) -> SubscriptionToken {
        let token = SubscriptionToken { [weak self] in
            Task { @MainActor in self?.sweep() }
        }
        sinks.append((token, sink))
        if let latest { sink(latest) }
        return token
    }

    private func sweep() {
        sinks.removeAll { $0.token.isCancelled }
    }
}

extension FlowSource where Element == Void {
    /// Tells everybody that it happened.
    public func send() {
        send(())
    }
}

/// Shut once, from any thread: nothing passes any more.
final class FlowGate: Sendable {
    private let shutFlag = Atomic<Bool>(false)

    var isShut: Bool { shutFlag.load(ordering: .acquiring) }

    func shut() {
        shutFlag.store(true, ordering: .releasing)
    }
}
