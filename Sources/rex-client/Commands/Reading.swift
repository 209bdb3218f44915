import FoundationEssentials
import Rex
import RexClient
import RexCommandLine
import RexProtocol

/// Commands that ask once and print the answer.
extension Main {
    static func state(_ call: Call) async throws -> ExitStatus {
        var frame = ClientFrame.Get(store: call.store)
        frame.path = try call.pointer()
        frame.at = call.arguments[ClientOptions.at]
        let answer = try await call.ask(.get(frame))
        guard case .state(let state) = answer, !call.isJSON else {
            call.printFrame(answer)
            return .done
        }
        call.printJSON(state.state)
        return .done
    }

    static func effects(_ call: Call) async throws -> ExitStatus {
        let answer = try await call.ask(.effects(.init(store: call.store)))
        var table = TextTable("ID", "SCOPE", "SINCE REV", "EMITTED", "AGE")
        if case .effects(let list) = answer {
            for effect in list.effects {
                table.add(
                    effect.id, effect.scope, "\(effect.fromRev)", "\(effect.emitted)",
                    DurationText.text(.milliseconds(effect.ageMilliseconds)))
            }
        }
        call.print(answer, or: table.lines)
        return .done
    }

    static func clients(_ call: Call) async throws -> ExitStatus {
        let answer = try await call.ask(.clients(.init()))
        var table = TextTable("CLIENT", "USER", "TRANSPORT", "SINCE")
        if case .clients(let list) = answer {
            for entry in list.clients {
                table.add(
                    entry.client.id, entry.client.user ?? "-", entry.transport,
                    WireTime.text(entry.since) ?? "-")
            }
        }
        call.print(answer, or: table.lines)
        return .done
    }

    static func info(_ call: Call) async throws -> ExitStatus {
        let answer = try await call.ask(.hello(call.hello))
        guard case .welcome(let welcome) = answer else {
            call.printFrame(answer)
            return .refused
        }
        var stores = TextTable("STORE", "REV", "EPOCH")
        for store in welcome.stores { stores.add(store.name, "\(store.rev)", store.epoch) }
        var limits = TextTable("LIMIT", "VALUE")
        for (name, value) in welcome.limits.sorted(by: { $0.key < $1.key }) {
            limits.add(name, "\(value)")
        }
        let user = welcome.client.user.map { ", user \($0)" } ?? ""
        let head = [
            "\(welcome.server), protocol \(welcome.version), at \(call.url)",
            "we are \(welcome.client.id)\(user), session \(welcome.session)", "",
        ].map(VisibleText.escaped)
        call.print(answer, or: head + stores.lines + [""] + limits.lines)
        return .done
    }

    static func ping(_ call: Call) async throws -> ExitStatus {
        let connection = try await call.connect()
        let start = ContinuousClock.now
        let answer = try await connection.request(.ping(.init()))
        let time = start.duration(to: .now)
        await connection.close()
        let microseconds = time.components.attoseconds / 1_000_000_000_000
        let milliseconds = Double(time.components.seconds) * 1000 + Double(microseconds) / 1000
        call.print(answer, or: ["pong from \(call.url) in \(milliseconds) ms"])
        return .done
    }

    static func hash(_ call: Call) async throws -> ExitStatus {
        let answer = try await call.ask(.hash(.init(store: call.store)))
        guard case .hash(let hash) = answer else { return .refused }
        call.print(answer, or: [VisibleText.escaped("\(hash.hash) \(hash.rev)")])
        return .done
    }
}

extension Call {
    /// Who we are.
    var hello: ClientFrame.Hello {
        var hello = ClientFrame.Hello()
        hello.client = "rex-client/\(ClientProgram.version)"
        hello.token = token
        return hello
    }
}
