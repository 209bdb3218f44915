/// A composer that somebody owns, connected.
///
///     @Compose var composer = CounterComposer()
///
/// Source: RxCompose.
@MainActor
@propertyWrapper
public struct Compose<C: Composer> {
    /// The composer.
    public let wrappedValue: C

    /// Connects the composer; its timers sleep by `clock`.
    public init(wrappedValue: C, clock: any Clock<Duration> = SystemClock()) {
        wrappedValue.connect(clock: clock)
        self.wrappedValue = wrappedValue
    }
}

/// Who shows the state of a composer and sends it actions: a view controller, a terminal.
///
/// Source: RxCompose.
@MainActor
public protocol Composable: AnyObject {
    /// What it shows.
    associatedtype ComposerType: Composer
    /// What it sends.
    typealias Action = ComposerType.Action

    /// Declared with `@Compose`, which connects it.
    var composer: ComposerType { get }

    /// Ties what it shows to the composer's state, and what happens to it to the composer's action.
    /// It calls this itself, once, when what it shows is there.
    func bind()
}
