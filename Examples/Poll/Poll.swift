import FoundationEssentials
import Rex

struct Poll: Statable, Codable {
    var id = ""
    var question = ""
    var options: [String] = []
    var seconds = 0
    var closesAt: Date?
    /// The option that each client chose, by the client's id.
    var votes: [String: String] = [:]
    /// The clients that are there, by id.
    var present: [String] = []
    @PresentState var notice: String?

    var isOpen: Bool { closesAt != nil }

    var count: [String: Int] { votes.values.reduce(into: [:]) { $0[$1, default: 0] += 1 } }
}
