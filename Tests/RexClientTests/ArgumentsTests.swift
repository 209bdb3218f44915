import RexClient
import RexCommandLine
import RexProtocol
import Testing

@Suite struct ArgumentsTests {
    private func run(
        _ words: String..., environment: [String: String] = [:]
    ) throws -> (String, Arguments) {
        guard
            case .run(let command, let arguments) = try ClientProgram.spec.parse(
                words, environment: environment)
        else {
            throw UsageError("not a command")
        }
        return (command.name, arguments)
    }

    private func failure(_ words: String...) -> String {
        do {
            _ = try ClientProgram.spec.parse(words)
            return "no error"
        } catch { return error.description }
    }

    @Test func optionsStandBeforeAndAfterTheCommand() throws {
        let (name, arguments) = try run(
            "--store", "counter", "dispatch", "add", "5", "--key=k 1", "--dry-run", "--json")
        #expect(name == "dispatch")
        #expect(arguments.operands == ["add", "5"])
        #expect(arguments[ClientOptions.store] == "counter")
        #expect(arguments[ClientOptions.key] == "k 1")
        #expect(arguments[ClientOptions.dryRun])
        #expect(arguments[ClientOptions.json])
        #expect(arguments[ClientOptions.expect] == nil)
    }

    @Test func aDashAndANegativeNumberAreOperandsAndTwoDashesEndOptions() throws {
        #expect(try run("dispatch", "-").1.operands == ["-"])
        #expect(try run("dispatch", "add", "-5").1.operands == ["add", "-5"])
        #expect(try run("dispatch", "--", "--key").1.operands == ["--key"])
    }

    @Test func optionsWinOverTheEnvironment() throws {
        let environment = ["REX_URL": "tcp://far:1", "REX_STORE": "doc", "REX_TIMEOUT": "250ms"]
        let (_, arguments) = try run("ping", "--store", "chat", environment: environment)
        #expect(arguments[ClientOptions.url] == (try RexURL("tcp://far:1")))
        #expect(arguments[ClientOptions.store] == "chat")
        #expect(arguments[ClientOptions.timeout] == .milliseconds(250))
        #expect(
            throws: UsageError(
                "REX_TIMEOUT, --timeout: expected a duration such as 5s, 250ms or 2m, got soon")
        ) {
            try run("ping", environment: ["REX_TIMEOUT": "soon"])
        }
    }

    @Test func aSlipOfTheKeyboardIsAnsweredWithTheNearestName() {
        #expect(failure("dispach", "x") == "there is no command dispach; did you mean dispatch?")
        #expect(
            failure("--stor", "x", "ping") == "there is no option --stor; did you mean --store?")
        #expect(failure("dispatch", "--dryrun", "x").hasSuffix("did you mean --dry-run?"))
        #expect(failure("xyzzy") == "there is no command xyzzy")
        #expect(failure("--patches", "watch") == "--patches is an option after the command")
        #expect(failure("state", "--patches") == "--patches is an option of watch")
    }

    @Test func whatIsMissingOrTooMuchIsNamed() {
        #expect(failure() == "a command is missing")
        #expect(failure("jump") == "a word is missing: rex-client jump REV")
        #expect(failure("ping", "x") == "x is one word too many; ping takes none")
        #expect(failure("ping", "--url") == "--url needs a value: --url URL")
        #expect(failure("ping", "--json=1") == "--json takes no value")
        #expect(failure("dispatch", "x", "--expect", "-3").contains("expected a number from 0 on"))
        #expect(failure("ping", "--url", "ftp://x").contains("expected tcp://"))
    }

    @Test func helpIsOneScreenWithExamplesLast() throws {
        let help = HelpText.program(ClientProgram.spec).split(
            separator: "\n", omittingEmptySubsequences: false)
        #expect(help.count <= 45)
        #expect(help.allSatisfy { $0.count <= 100 })
        #expect(help.suffix(4).first == "Examples:")
        for command in ClientProgram.spec.commands {
            #expect(help.contains { $0.hasPrefix("  \(command.name) ") })
            let own = HelpText.command(command, of: ClientProgram.spec)
            #expect(!command.examples.isEmpty)
            #expect(own.hasSuffix(command.examples.last!))
            #expect(own.split(separator: "\n").allSatisfy { $0.count <= 100 })
        }
    }

    @Test func helpIsFoundInEveryForm() throws {
        for words in [["--help"], ["help"], ["-h"]] {
            guard case .help(nil) = try ClientProgram.spec.parse(words) else {
                Issue.record("\(words)")
                continue
            }
        }
        for words in [["dispatch", "--help"], ["help", "dispatch"], ["--help", "dispatch"]] {
            guard case .help(let command?) = try ClientProgram.spec.parse(words) else {
                Issue.record("\(words)")
                continue
            }
            #expect(command.name == "dispatch")
        }
        guard case .version = try ClientProgram.spec.parse(["--version"]) else {
            Issue.record("--version")
            return
        }
    }

    @Test func durationsAndPositions() throws {
        #expect(try DurationText.parse("5") == .seconds(5))
        #expect(try DurationText.parse("1.5s") == .milliseconds(1500))
        #expect(try DurationText.parse("2m") == .seconds(120))
        #expect(throws: UsageError.self) { try DurationText.parse("0s") }
        #expect(throws: UsageError.self) { try DurationText.parse("5 s") }
        #expect(DurationText.text(.milliseconds(1500)) == "1.5s")
        #expect(DurationText.text(.milliseconds(20)) == "20ms")
        let position = try ClientFrame.Position(parsing: "a:b:42")
        #expect(position == ClientFrame.Position(epoch: "a:b", rev: 42))
        #expect(throws: UsageError.self) { try ClientFrame.Position(parsing: "42") }
    }
}
