/// What speaks to the reader of an `AsyncStream`. Whoever is subscribed for a stream holds one, and
/// nobody else does: so the loop of a reader ends where nothing can come any more, because the
/// store, the bus or the object behind a flow has gone.
final class StreamOrigin<Element: Sendable>: Sendable {
    private let continuation: AsyncStream<Element>.Continuation

    private init(_ continuation: AsyncStream<Element>.Continuation) {
        self.continuation = continuation
    }

    deinit {
        continuation.finish()
    }

    func yield(_ element: Element) {
        continuation.yield(element)
    }

    /// A stream of what `subscribe` has its argument called with. A reader that is behind by more
    /// than `bufferLimit` loses the oldest; ending the loop ends the subscription.
    static func stream(
        bufferLimit: Int,
        _ subscribe: (@escaping @Sendable (Element) -> Void) -> SubscriptionToken
    ) -> AsyncStream<Element> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: Element.self, bufferingPolicy: .bufferingNewest(max(bufferLimit, 1)))
        let origin = StreamOrigin(continuation)
        let token = subscribe { origin.yield($0) }
        continuation.onTermination = { _ in token.cancel() }
        return stream
    }
}
