/// A coordinator of whatever steps: its place in the tree of coordinators.
///
/// Source: GoodReactor.
@MainActor
public protocol CoordinatorNode: AnyObject {
    /// Who it belongs to; nil for the first one.
    var parentCoordinator: (any CoordinatorNode)? { get }
    /// Those that belong to it, in the order in which they came; it does not keep them.
    var children: [any CoordinatorNode] { get }

    /// Makes `child` belong to it. A coordinator does this when it is made with a parent.
    func adopt(_ child: any CoordinatorNode)
    /// Lets go of every child, and those of theirs.
    func resetChildReferences()
    /// Belongs to nobody any more.
    func leaveParent()
}

extension CoordinatorNode {
    /// The first on the way up, beginning with this one, that is a `T`; O(depth).
    public func firstCoordinator<T>(ofType type: T.Type) -> T? {
        var node: (any CoordinatorNode)? = self
        while let coordinator = node {
            if let found = coordinator as? T { return found }
            node = coordinator.parentCoordinator
        }
        return nil
    }

    /// The last on the way up, beginning with this one, that is a `T`; O(depth).
    public func lastCoordinator<T>(ofType type: T.Type) -> T? {
        var found: T?
        var node: (any CoordinatorNode)? = self
        while let coordinator = node {
            found = coordinator as? T ?? found
            node = coordinator.parentCoordinator
        }
        return found
    }

    /// The deepest that is a `T` among this one and those below, the newest branch first; O(size of
    /// the tree).
    public func lastChild<T>(ofType type: T.Type) -> T? {
        for child in children.reversed() {
            if let found = child.lastChild(ofType: type) { return found }
        }
        return self as? T
    }
}

/// Leads from screen to screen: reactors give it steps, it decides what a step means.
///
///     final class AppCoordinator: Coordinator<AppStep> {
///         override func navigate(to step: AppStep) { … }
///     }
///
/// Parents are kept by their children, not the other way round: a coordinator lives as long as what
/// it has led to.
///
/// Source: GoodReactor, `GoodCoordinator`.
@MainActor
open class Coordinator<Step>: CoordinatorNode {
    private struct Child {
        weak var node: (any CoordinatorNode)?
    }

    /// Who it belongs to; nil for the first one, and after `leaveParent`.
    public private(set) var parentCoordinator: (any CoordinatorNode)?
    private var adopted: [Child] = []
    private let source = FlowSource<Step>()

    /// The last step that was performed.
    public private(set) var step: Step?

    /// A coordinator, as the last child of its parent.
    public init(parentCoordinator: (any CoordinatorNode)? = nil) {
        self.parentCoordinator = parentCoordinator
        parentCoordinator?.adopt(self)
    }

    /// Those that belong to it and that somebody keeps.
    public var children: [any CoordinatorNode] { adopted.compactMap(\.node) }

    /// The steps that are performed from now on.
    public var steps: Flow<Step> { source.flow }

    /// What a step means: to be overridden. Nothing, here.
    open func navigate(to step: Step) {}

    /// Notes `step`, navigates to it and tells whoever follows `steps`.
    public final func perform(step: Step) {
        self.step = step
        navigate(to: step)
        source.send(step)
    }

    /// Makes `child` belong to it.
    public final func adopt(_ child: any CoordinatorNode) {
        adopted.removeAll { $0.node == nil }
        adopted.append(Child(node: child))
    }

    /// Lets go of every child, and those of theirs.
    public final func resetChildReferences() {
        for child in children {
            child.resetChildReferences()
            child.leaveParent()
        }
        adopted = []
    }

    /// Belongs to nobody any more.
    public final func leaveParent() {
        parentCoordinator = nil
    }
}
