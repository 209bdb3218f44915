import RexProtocol

/// A subscription kept up by patches; it fails where one is missed, doubled or does not fit.
///
/// The patches are applied by the few lines here and not by Rex's own, which would forgive itself.
final class Replica {
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    let client: LineClient
    let sub: JSONValue
    let epoch: String
    let isResumed: Bool
    private(set) var rev: Int
    var state: JSONValue
    /// Frames taken.
    private(set) var frames = 0

    init(
        _ client: LineClient, _ store: String, _ path: String = "", _ more: JSONObject = [:]
    ) throws {
        var request = more
        request["op"] = "subscribe"
        request["store"] = .string(store)
        request["path"] = .string(path)
        let reply = try client.ask(.object(request))
        guard reply.op == "subscribed", let sub = reply["sub"], let rev = reply["rev"]?.int,
            let epoch = reply["epoch"]?.string, let isResumed = reply["resumed"]?.bool
        else { throw Failure(description: "no subscription but \(reply)") }
        self.client = client
        self.sub = sub
        self.rev = rev
        self.epoch = epoch
        self.isResumed = isResumed
        state = reply["state"] ?? .null
    }

    /// A copy that is handed its frames, however they come; it begins with a `subscribed` or a
    /// first `state`.
    init(_ client: LineClient, beginning frame: JSONValue) throws {
        guard let sub = frame["sub"], let rev = frame["rev"]?.int,
            let epoch = frame["epoch"]?.string, let state = frame["state"]
        else { throw Failure(description: "no beginning: \(frame)") }
        self.client = client
        self.sub = sub
        self.rev = rev
        self.epoch = epoch
        self.state = state
        isResumed = false
    }

    private func isOurs(_ frame: JSONValue) -> Bool {
        frame["sub"] == sub && (frame.op == "patch" || frame.op == "state")
    }

    func take(_ frame: JSONValue) throws {
        frames += 1
        let next = frame["rev"]?.int ?? -1
        if frame.op == "state" {
            state = frame["state"] ?? .null
        } else {
            guard frame["from"]?.int == rev, next > rev else {
                throw Failure(description: "at \(rev) came \(frame)")
            }
            for step in frame["patch"]?.array ?? [] { try apply(step) }
        }
        rev = next
    }

    /// Takes frames until it is so.
    func follow(
        within limit: Duration = LineClient.patience, until isDone: (Replica) -> Bool
    ) throws {
        for frame in client.takePushed(where: isOurs) { try take(frame) }
        let deadline = ContinuousClock.now + limit
        while !isDone(self) { try take(try client.push(within: deadline - .now, where: isOurs)) }
    }

    private func apply(_ step: JSONValue) throws {
        let path = step["path"]?.string ?? "no path"
        let tokens = path.split(separator: "/", omittingEmptySubsequences: false).dropFirst()
            .map { String($0.replacing("~1", with: "/").replacing("~0", with: "~")) }
        state = try Self.apply(step, at: tokens[...], of: state)
    }

    /// RFC 6902: add, remove and replace, strictly.
    private static func apply(
        _ step: JSONValue, at path: ArraySlice<String>, of value: JSONValue
    ) throws -> JSONValue {
        func misfit() -> Failure { Failure(description: "\(step) does not fit \(value)") }
        let op = step.op
        guard let token = path.first else {
            guard op != "remove", let new = step["value"] else { throw misfit() }
            return new
        }
        let isLast = path.count == 1
        switch value {
        case .object(var members):
            if !isLast {
                guard let inner = members[token] else { throw misfit() }
                members[token] = try apply(step, at: path.dropFirst(), of: inner)
            } else if op == "add" {
                members[token] = step["value"]!
            } else {
                guard members[token] != nil else { throw misfit() }
                members[token] = op == "remove" ? nil : step["value"]!
            }
            return .object(members)
        case .array(var elements):
            let index = token == "-" && op == "add" ? elements.count : Int(token) ?? -1
            let isNew = isLast && op == "add"
            guard (0..<elements.count + (isNew ? 1 : 0)).contains(index) else { throw misfit() }
            if !isLast {
                elements[index] = try apply(step, at: path.dropFirst(), of: elements[index])
            } else if op == "add" {
                elements.insert(step["value"]!, at: index)
            } else if op == "remove" {
                elements.remove(at: index)
            } else {
                elements[index] = step["value"]!
            }
            return .array(elements)
        default: throw misfit()
        }
    }
}
