/// How the program ends; its help lists them.
enum ExitStatus: Int32 {
    case done = 0
    /// The server said no.
    case refused = 1
    case usage = 2
    case cannotConnect = 69
    case tryAgainLater = 75
    case notAllowed = 77
    case timedOut = 124
    case interrupted = 130
}

/// Something of the program's own surroundings failed: a file, a line of input. Exit status 2.
struct Failure: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
}
