import Rex
import RexProtocol

/// Hosting stores.
extension Server {
    /// Hosts a store and returns it as the program has it. The first one is the default store.
    ///
    /// - Parameters:
    ///   - name: a topic token: no dot, no white space, no wildcard, no `$` in front.
    ///   - hooks: see `PipelineHook`; they run on the server's loop.
    ///   - authorize: asked before each action of a client that the rules allow, also where it is
    ///     only asked what the action would do; false is `forbidden`. It runs outside the loop and
    ///     may take its time: what the same client sends behind the action waits, in order,
    ///     everybody else goes on. After `Limits.authorizeMilliseconds` its task is cancelled, and
    ///     the client is told to try again.
    /// - Throws: `HostingError` for a bad or taken name, or a state that cannot be written as JSON.
    @inlinable
    @discardableResult
    public final func host<R: Reducer>(
        _ name: String, _ reducer: R, initialState: R.State,
        hooks: [AnyPipelineHook<R.State, R.Action>] = [],
        authorize: (@Sendable (R.Action, ClientIdentity) async -> Bool)? = nil
    ) throws -> LocalStore<R.State, R.Action> where R.State: Codable, R.Action: WireAction {
        try host(
            name, reducer, initialState: initialState, hooks: hooks, authorize: authorize,
            by: HotPath())
    }

    @usableFromInline
    final func host<R: Reducer>(
        _ name: String, _ reducer: R, initialState: R.State,
        hooks: [AnyPipelineHook<R.State, R.Action>],
        authorize: (@Sendable (R.Action, ClientIdentity) async -> Bool)?, by hot: HotPath<R>
    ) throws -> LocalStore<R.State, R.Action> where R.State: Codable, R.Action: WireAction {
        guard Self.isStoreName(name, limits) else { throw HostingError("\(name) is no store name") }
        guard stores[name] == nil else { throw HostingError("a store \(name) is hosted already") }
        guard stores.count < limits.stores else {
            throw HostingError("no more than \(limits.stores) stores can be hosted")
        }
        let host = try TypedHost(
            name: name, try beginning(of: name, initialState), reducer: reducer, hot: hot,
            loop: loop, limits: limits, hooks: hooks, authorize: authorize, clock: effectClock,
            calendar: calendar)
        add(host)
        host.didStart()
        // The program may commit before anybody can connect.
        prepareLoop()
        return LocalStore(name: name, server: self)
    }

    /// - Parameter rules: the name of the store whose permissions hold for it; nil for its own.
    func add(_ host: any StoreHost, under rules: String? = nil) {
        host.observer = self
        stores[host.name] = HostedStore(
            host, under: rules ?? host.name, touched: touchedStores)
        storeOrder.append(host.name)
    }

    /// A store's name is the first token of its topics.
    static func isStoreName(_ name: String, _ limits: Limits) -> Bool {
        name.utf8.count <= limits.nameBytes && !name.utf8.contains(UInt8(ascii: "."))
            && !name.hasPrefix("$") && (try? Topic(name)) != nil
    }
}

/// A store that cannot be hosted, in a person's words.
public struct HostingError: Error, CustomStringConvertible {
    public let description: String
    init(_ text: String) { description = text }
}
