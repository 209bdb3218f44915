import RexClient
import RexCommandLine
import RexLoop
import RexProtocol

@main struct Main {
    static func main() async {
        StandardStreams.openMissing()
        Process.prepareSignals()
        let program = ClientProgram.spec
        let invocation: Invocation
        do throws(UsageError) {
            invocation = try program.parse(Process.words(), environment: Process.environment)
        } catch {
            Process.end(misused(error))
        }
        switch invocation {
        case .help(nil): StandardOutput.line(HelpText.program(program))
        case .help(let command?): StandardOutput.line(HelpText.command(command, of: program))
        case .version: StandardOutput.line("\(program.name) \(program.version)")
        case .run(let command, let arguments):
            Process.end(await run(command, arguments))
        }
    }

    private static func run(_ command: CommandSpec, _ arguments: Arguments) async -> ExitStatus {
        let call: Call
        do { call = try Call(arguments) } catch {
            StandardOutput.talk(error.description)
            return .usage
        }
        guard let action = Self.actions[command.name] else {
            preconditionFailure("\(command.name) is in the table of commands but not in Main")
        }
        do {
            return try await action(call)
        } catch let error as UsageError {
            return misused(UsageError(error.description, command: command.name))
        } catch let error as Failure {
            StandardOutput.talk(error.description)
            return .usage
        } catch let error as ConnectionError {
            if call.isJSON, case .refused(let refusal) = error {
                call.printFrame(.error(id: nil, refusal))
            }
            StandardOutput.talk(error.description)
            return ExitStatus(error)
        } catch {
            StandardOutput.talk("\(error)")
            return .refused
        }
    }

    private static func misused(_ error: UsageError) -> ExitStatus {
        StandardOutput.talk(error.description)
        let topic = error.command.map { " \($0)" } ?? ""
        StandardOutput.talk("see rex-client\(topic) --help")
        return .usage
    }

    private static let actions: [String: @Sendable (Call) async throws -> ExitStatus] = [
        "dispatch": dispatch, "publish": publish, "cancel": cancel, "state": state,
        "watch": watch, "listen": listen, "effects": effects, "clients": clients, "info": info,
        "ping": ping, "bench": bench, "history": history, "diff": diff, "undo": undo, "redo": redo,
        "jump": jump,
        "fork": fork, "hash": hash, "chat": chat, "repl": repl, "run": play,
    ]
}
