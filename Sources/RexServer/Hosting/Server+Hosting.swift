import Rex
import RexProtocol

/// Hosting stores.
extension Server {
    /// Hosts a store and returns it as the program has it. The first one is the default store.
    ///
    /// - Parameters:
    ///   - name: a topic token: no dot, no white space, no wildcard, no `$` in front.
    ///   - hooks: see `PipelineHook`; they run on the server's loop.
    /// - Throws: `HostingError` for a bad or taken name, or a state that cannot be written as JSON.
    @inlinable
    @discardableResult
    public final func host<R: Reducer>(
        _ name: String, _ reducer: R, initialState: R.State,
        hooks: [AnyPipelineHook<R.State, R.Action>] = []
    ) throws -> LocalStore<R.State, R.Action> where R.State: Codable, R.Action: WireAction {
        try host(name, reducer, initialState: initialState, hooks: hooks, by: HotPath())
    }

    @usableFromInline
    final func host<R: Reducer>(
        _ name: String, _ reducer: R, initialState: R.State,
        hooks: [AnyPipelineHook<R.State, R.Action>], by hot: HotPath<R>
    ) throws -> LocalStore<R.State, R.Action> where R.State: Codable, R.Action: WireAction {
        guard Self.isStoreName(name, limits) else { throw HostingError("\(name) is no store name") }
        guard stores[name] == nil else { throw HostingError("a store \(name) is hosted already") }
        guard stores.count < limits.stores else {
            throw HostingError("no more than \(limits.stores) stores can be hosted")
        }
        let host = try TypedHost(
            name: name, try beginning(of: name, initialState), reducer: reducer, hot: hot,
            loop: loop, limits: limits, hooks: hooks)
        add(host)
        host.didStart()
        // The program may commit before anybody can connect.
        prepareLoop()
        return LocalStore(name: name, server: self)
    }

    func add(_ host: any StoreHost) {
        host.observer = self
        stores[host.name] = HostedStore(host, touched: touchedStores)
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
