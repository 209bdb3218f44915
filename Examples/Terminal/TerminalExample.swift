import Rex

/// An example that a person uses by lines of text, and that answers in lines of text.
@MainActor
public protocol TerminalExample: AnyObject {
    /// What it is called on the command line.
    static var name: String { get }
    /// What it shows, in a few words.
    static var summary: String { get }
    /// The lines that it takes, each with what it does.
    static var usage: [String] { get }

    /// Begins, and shows itself.
    ///
    /// - Parameters:
    ///   - clock: what its timers sleep by.
    ///   - write: puts out a line.
    init(clock: any Clock<Duration>, write: @escaping @MainActor (String) -> Void)

    /// Does what a line says; its words are those between spaces, at least one.
    ///
    /// - Throws: what stands in the way, in words for a person.
    func take(_ words: [String]) async throws

    /// Called when a line has been taken, and when time has passed.
    func show() async

    /// How many effects run; each of them sleeps by the clock, or is about to.
    func effectCount() async -> Int
}

extension TerminalExample {
    /// Nothing: what there is to show is shown when it comes.
    public func show() async {}

    /// The refusal of a line that is none of `usage`.
    func unknown(_ words: [String]) -> Refusal {
        Refusal("'\(words.joined(separator: " "))' is nothing that can be done here; see help")
    }
}
