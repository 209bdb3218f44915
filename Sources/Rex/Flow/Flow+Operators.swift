extension Flow {
    /// Each value as `transform` has it.
    public func map<Other>(
        _ transform: @escaping @MainActor (Element) -> Other
    ) -> Flow<Other> {
        Flow<Other> { sink in attach { sink(transform($0)) } }
    }

    /// Each value as `transform` has it, without those that it has no answer for.
    public func compactMap<Other>(
        _ transform: @escaping @MainActor (Element) -> Other?
    ) -> Flow<Other> {
        Flow<Other> { sink in
            attach { element in
                if let other = transform(element) { sink(other) }
            }
        }
    }

    /// The values that are wanted.
    public func filter(_ isWanted: @escaping @MainActor (Element) -> Bool) -> Flow {
        Flow { sink in
            attach { element in
                if isWanted(element) { sink(element) }
            }
        }
    }

    /// Without values that are the same as the one before.
    public func distinctUntilChanged(
        by areSame: @escaping @MainActor (Element, Element) -> Bool
    ) -> Flow {
        Flow { sink in
            let last = FlowMemory<Element>()
            return attach { element in
                if let before = last.element, areSame(before, element) { return }
                last.element = element
                sink(element)
            }
        }
    }

    /// Without values whose key is the same as that of the one before.
    public func distinctUntilChanged<Key: Equatable>(
        _ key: @escaping @MainActor (Element) -> Key
    ) -> Flow {
        distinctUntilChanged { key($0) == key($1) }
    }

    /// These values and those of the others, as they come.
    public func merge(with others: Flow...) -> Flow {
        Flow { sink in
            let tokens = [attach(sink)] + others.map { $0.attach(sink) }
            return SubscriptionToken {
                for token in tokens { token.cancel() }
            }
        }
    }

    /// Each value after `body` was called with it, as for a log.
    public func handle(_ body: @escaping @MainActor (Element) -> Void) -> Flow {
        map { element in
            body(element)
            return element
        }
    }

    /// Without the first values.
    public func dropFirst(_ count: Int = 1) -> Flow {
        Flow { sink in
            let left = FlowMemory(count)
            return attach { element in
                if let number = left.element, number > 0 {
                    left.element = number - 1
                } else {
                    sink(element)
                }
            }
        }
    }
}

extension Flow where Element: SendableMetatype {
    /// One value, at once.
    public static func just(_ element: Element) -> Flow {
        Flow { sink in
            sink(element)
            return SubscriptionToken {}
        }
    }

    /// No value, ever.
    public static var never: Flow {
        Flow { _ in SubscriptionToken {} }
    }
}

extension Flow where Element: Equatable & SendableMetatype {
    /// Without values that are equal to the one before.
    public func distinctUntilChanged() -> Flow { distinctUntilChanged(by: ==) }

    /// The same as `distinctUntilChanged`, as Combine calls it.
    public func removeDuplicates() -> Flow { distinctUntilChanged(by: ==) }
}

extension Flow where Element: Sendable {
    /// A value only when no other came for `quiet` after it.
    public func debounce(
        for quiet: Duration, clock: any Clock<Duration> = SystemClock()
    ) -> Flow {
        Flow { sink in
            let last = FlowMemory<Task<Void, Never>>()
            let token = attach { element in
                last.element?.cancel()
                last.element = later(quiet, on: clock) { sink(element) }
            }
            return SubscriptionToken {
                token.cancel()
                Task { @MainActor in last.element?.cancel() }
            }
        }
    }
}

/// Does `body` once `quiet` has passed since this call, unless the task is cancelled.
@MainActor
private func later<C: Clock>(
    _ quiet: Duration, on clock: C, _ body: @escaping @MainActor () -> Void
) -> Task<Void, Never> where C.Duration == Duration {
    let deadline = clock.deadline(after: quiet)
    return Task {
        try? await clock.sleep(until: deadline, tolerance: nil)
        if !Task.isCancelled { body() }
    }
}

/// What an operator remembers from one value to the next.
@MainActor
private final class FlowMemory<Element> {
    var element: Element?

    init(_ element: Element? = nil) {
        self.element = element
    }
}
