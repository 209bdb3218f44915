import Rex
import RexClient
import RexCommandLine
import RexProtocol

/// Commands about a store's past.
extension Main {
    static func history(_ call: Call) async throws -> ExitStatus {
        var frame = ClientFrame.HistoryQuery(store: call.store)
        if !call.operands.isEmpty { frame.path = try call.pointer() }
        frame.after = call.arguments[ClientOptions.after]
        frame.limit = call.arguments[ClientOptions.limit]
        let answer = try await call.ask(.history(frame))
        guard case .history(let history) = answer else { return .refused }
        var table = TextTable("REV", "AT", "FROM", "ACTION")
        for entry in history.entries {
            table.add(
                "\(entry.rev)", WireTime.text(entry.at) ?? "-", sender(entry.from), deed(entry))
        }
        call.print(answer, or: table.lines)
        return .done
    }

    private static func sender(_ sender: ServerFrame.Sender?) -> String {
        switch sender {
        case .client(let client): client.user.map { "\(client.id) (\($0))" } ?? client.id
        case .effect(let id): "effect \(id)"
        case nil: "-"
        }
    }

    private static func deed(_ entry: ServerFrame.Entry) -> String {
        if let travel = entry.travel { return "\(travel.op) to \(travel.to)" }
        return entry.action?.description ?? "-"
    }

    static func diff(_ call: Call) async throws -> ExitStatus {
        var frame = ClientFrame.DiffQuery(
            store: call.store, from: try call.revision(0), to: try call.revision(1))
        frame.path = try call.pointer(2)
        let answer = try await call.ask(.diff(frame))
        guard case .diff(let diff) = answer, !call.isJSON else {
            call.printFrame(answer)
            return .done
        }
        call.printJSON(diff.patch)
        return .done
    }

    static func undo(_ call: Call) async throws -> ExitStatus {
        call.printFrame(try await call.ask(.undo(.init(store: call.store))))
        return .done
    }

    static func redo(_ call: Call) async throws -> ExitStatus {
        call.printFrame(try await call.ask(.redo(.init(store: call.store))))
        return .done
    }

    static func jump(_ call: Call) async throws -> ExitStatus {
        let revision = try call.revision(0)
        call.printFrame(try await call.ask(.jump(.init(store: call.store, rev: revision))))
        return .done
    }

    static func fork(_ call: Call) async throws -> ExitStatus {
        let frame = ClientFrame.Fork(
            store: call.store, at: try call.revision(0), as: call.operands[1])
        call.printFrame(try await call.ask(.fork(frame)))
        return .done
    }
}
