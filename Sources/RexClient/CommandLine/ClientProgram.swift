import RexCommandLine

/// The table of `rex-client`: what it can do, said once, for parsing and for help.
package enum ClientProgram {
    package static let version = "0.1.0"

    package static let spec = ProgramSpec(
        name: "rex-client", version: version, summary: "talks to a Rex store server",
        options: [
            ClientOptions.url, ClientOptions.store, ClientOptions.tokenFile, ClientOptions.timeout,
            ClientOptions.json, ClientOptions.tlsAuthority, ClientOptions.tlsCertificate,
            ClientOptions.tlsInsecure,
        ],
        commands: acting + reading + travelling + talking,
        examples: [
            "rex-client --store counter dispatch add 5",
            "rex-client watch /rooms/general --patches",
            "rex-client chat general ann",
        ],
        notes: [
            "Exit status: 0 done, 1 the server refused, 2 wrong words or input, 69 no connection,",
            "75 try again later, 77 not allowed, 124 no answer in time, 130 interrupted.",
        ])

    private static let acting = [
        CommandSpec(
            "dispatch", "TYPE [PAYLOAD…]", count: 1...256, summary: "send an action, print its ack",
            details: [
                "PAYLOAD is key=value (a string), key:=json, one JSON value, @file, or - (stdin).",
                "dispatch - reads one action a line, sends them without waiting for each other,",
                "and prints one ack a line, in the same order. A line is TYPE [PAYLOAD] or an",
                "object with a type. With --key each line has a key of its own, KEY:LINE.",
            ],
            options: [
                ClientOptions.key, ClientOptions.expect, ClientOptions.dryRun, ClientOptions.await,
            ],
            examples: [
                "rex-client --store counter dispatch increment",
                "rex-client dispatch join room=general name=ann",
                "rex-client --store counter dispatch startTimer dueTime_ms:=0 period_ms:=1000",
                "seq 1000 | sed 's/.*/increment/' | rex-client --store counter dispatch -",
            ]),
        CommandSpec(
            "publish", "TOPIC DATA…", count: 2...256, summary: "publish an event on a topic",
            details: ["DATA is written as the payload of dispatch."],
            examples: ["rex-client publish news.sport score:=3 team=red"]),
        CommandSpec(
            "cancel", "ID", count: 1...1, summary: "end an effect; its id is in effects",
            examples: ["rex-client --store counter cancel timer"]),
    ]

    private static let reading = [
        CommandSpec(
            "state", "[POINTER]", count: 0...1, summary: "print the state, or a part of it",
            options: [ClientOptions.at],
            examples: ["rex-client state /rooms/general", "rex-client state --at 17"]),
        CommandSpec(
            "watch", "[POINTER]", count: 0...1, summary: "print the state, then each change",
            details: ["Reconnects by itself and goes on where it was, without a gap."],
            options: [ClientOptions.patches, ClientOptions.since, ClientOptions.slow],
            examples: [
                "rex-client watch /rooms/general/topic", "rex-client --json watch --patches",
            ]),
        CommandSpec(
            "listen", "PATTERN", count: 1...1, summary: "print the events of matching topics",
            details: [
                "* stands for one token of a topic, > for all that follow. Events that are lost",
                "because we read too slowly are counted on stderr.",
            ],
            options: [ClientOptions.slow],
            examples: ["rex-client listen 'news.*'", "rex-client listen '$presence.chat.>'"]),
        CommandSpec(
            "effects", summary: "list the effects under way",
            examples: ["rex-client --store counter effects"]),
        CommandSpec("clients", summary: "list who is connected", examples: ["rex-client clients"]),
        CommandSpec(
            "info", summary: "print server, stores and limits", examples: ["rex-client info"]),
        CommandSpec("ping", summary: "ask for a sign of life", examples: ["rex-client ping"]),
    ]

    private static let travelling = [
        CommandSpec(
            "history", "[POINTER]", count: 0...1,
            summary: "list commits, or those that touched a part",
            options: [ClientOptions.after, ClientOptions.limit],
            examples: ["rex-client history /rooms/general/topic --limit 10"]),
        CommandSpec(
            "diff", "REV REV [POINTER]", count: 2...3,
            summary: "what changed between two revisions",
            examples: ["rex-client diff 10 42 /rooms"]),
        CommandSpec("undo", summary: "take a commit back", examples: ["rex-client undo"]),
        CommandSpec("redo", summary: "do again what was undone", examples: ["rex-client redo"]),
        CommandSpec(
            "jump", "REV", count: 1...1, summary: "go to the state of a revision",
            examples: ["rex-client jump 17"]),
        CommandSpec(
            "fork", "REV NAME", count: 2...2, summary: "make a new store from a revision",
            examples: ["rex-client fork 30 chat-copy"]),
        CommandSpec(
            "hash", summary: "the hash of the state, to compare replicas",
            examples: ["rex-client hash"]),
    ]

    private static let talking = [
        CommandSpec(
            "chat", "ROOM NAME", count: 2...2, summary: "talk in a room",
            details: [
                "A line is a message. /topic TEXT, /edit TEXT (your last message), /who, /leave,",
                "/help.",
            ],
            examples: ["rex-client chat general ann"]),
        CommandSpec(
            "repl", summary: "type ops and actions, see every reply",
            examples: ["rex-client --store counter repl"]),
        CommandSpec(
            "run", "FILE", count: 1...1, summary: "play a transcript against a server",
            details: [
                "FILE holds > sent and < expected lines, or is Markdown with ```transcript blocks;",
                "- is stdin. docs/transcripts.md describes the lines.",
            ],
            examples: ["rex-client run undo.transcript"]),
        CommandSpec(
            "bench", "[TYPE [PAYLOAD…]]", count: 0...256,
            summary: "put a load on the server, print what it did",
            details: [
                "Without TYPE it pings. TYPE is dispatched as in dispatch, for real; with --topic",
                "the words are the data of an event. With @now as the first string in them,",
                "subscribers tell how long each delivery took. With --rate, what had to wait is",
                "late from when it was due.",
            ],
            options: [
                ClientOptions.connections, ClientOptions.window, ClientOptions.subscribers,
                ClientOptions.rate, ClientOptions.duration, ClientOptions.topic,
            ],
            examples: [
                "rex-client bench",
                "rex-client --store counter bench add 1 --subscribers 1",
                "rex-client --store doc bench set path=/t value=@now --rate 100 --subscribers 1000",
                "rex-client bench --topic load at=@now --subscribers 100",
            ]),
        CommandSpec(
            "help", "[COMMAND]", count: 0...1, summary: "this help, or a command's",
            examples: ["rex-client help dispatch"]),
    ]
}
