/// Typed events for whoever wants them, within one process. Nothing is stored.
///
/// Any thread may publish: events of one publisher arrive in their order, and all subscribers see
/// all events in the same order. Handlers are called one at a time, on the thread of whoever
/// publishes; an event published from inside one comes after.
///
/// Source: Swift-Rex.
public final class EventBus: Sendable {
    /// How many events wait behind a slow handler before publishers have to wait for it.
    public static let queueLimit = 65_536
    /// How many events a stream keeps for a slow reader before it loses the oldest.
    public static let defaultBufferLimit = 256

    /// An event as it travels: a value and the topic it was published under.
    public struct Event: Sendable {
        /// Where the publisher named none, the name of the value's type.
        public let topic: String
        /// What was published.
        public let value: any Sendable
    }

    private let turnstile: Turnstile<Job, Listeners>

    /// A bus without subscribers.
    public init() {
        turnstile = Turnstile(limit: Self.queueLimit, worker: Listeners()) { job, listeners in
            listeners.perform(job)
        }
    }

    /// Publishes under the name of its type.
    public func publish(_ event: some Sendable) {
        publish(event, topic: String(describing: type(of: event)))
    }

    /// Publishes under `topic`. What is not a topic meets no pattern; typed subscribers get it.
    public func publish(_ event: some Sendable, topic: String) {
        turnstile.submit(.publish(Event(topic: topic, value: event)))
    }

    /// Calls `handler` with each event of this type.
    @discardableResult
    public func subscribe<E: Sendable>(
        to type: E.Type, handler: @escaping @Sendable (E) -> Void
    ) -> SubscriptionToken {
        subscribe { event in
            if let value = event.value as? E { handler(value) }
        }
    }

    /// Calls `handler` with each event of this type that `filter` lets through.
    @discardableResult
    public func subscribe<E: Sendable>(
        to type: E.Type, where filter: @escaping @Sendable (E) -> Bool,
        handler: @escaping @Sendable (E) -> Void
    ) -> SubscriptionToken {
        subscribe { event in
            if let value = event.value as? E, filter(value) { handler(value) }
        }
    }

    /// Calls `handler` with each event whose topic meets `pattern`.
    @discardableResult
    public func subscribe(
        topics pattern: TopicPattern, handler: @escaping @Sendable (Event) -> Void
    ) -> SubscriptionToken {
        subscribe { event in
            if pattern.matches(event.topic) { handler(event) }
        }
    }

    /// Calls `handler` with every event.
    @discardableResult
    public func subscribe(handler: @escaping @Sendable (Event) -> Void) -> SubscriptionToken {
        let token = SubscriptionToken { [weak turnstile] in turnstile?.submit(.sweep) }
        turnstile.submit(.subscribe(Listener(token: token, handler: handler)))
        return token
    }

    /// The events of this type from now on. A reader that is behind by more than `bufferLimit`
    /// loses the oldest. Ending the loop ends the subscription; the end of the bus ends the loop.
    public func events<E: Sendable>(
        of type: E.Type, bufferLimit: Int = EventBus.defaultBufferLimit
    ) -> AsyncStream<E> {
        StreamOrigin.stream(bufferLimit: bufferLimit) { subscribe(to: type, handler: $0) }
    }

    /// The events whose topic meets `pattern`, from now on; otherwise as `events(of:)`.
    public func events(
        topics pattern: TopicPattern, bufferLimit: Int = EventBus.defaultBufferLimit
    ) -> AsyncStream<Event> {
        StreamOrigin.stream(bufferLimit: bufferLimit) { subscribe(topics: pattern, handler: $0) }
    }

    private struct Listener: Sendable {
        let token: SubscriptionToken
        let handler: @Sendable (Event) -> Void
    }

    private enum Job: Sendable {
        case publish(Event)
        case subscribe(Listener)
        /// Forget whoever has cancelled.
        case sweep
    }

    private struct Listeners {
        private var all: [Listener] = []

        mutating func perform(_ job: Job) {
            switch job {
            case .publish(let event):
                for listener in all where !listener.token.isCancelled { listener.handler(event) }
            case .subscribe(let listener):
                all.append(listener)
            case .sweep:
                all.removeAll { $0.token.isCancelled }
            }
        }
    }
}
