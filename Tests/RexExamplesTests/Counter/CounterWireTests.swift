import Rex
import RexExamples
import RexProtocol
import Testing

struct CounterWireTests {
    @Test func everyActionHasItsForm() throws {
        let forms: [(CounterAction, String)] = [
            (.increment, #"{"type":"increment"}"#),
            (.decrement, #"{"type":"decrement"}"#),
            (.add(-5), #"{"type":"add","payload":-5}"#),
            (
                .startTimer(dueTimeMilliseconds: 0, periodMilliseconds: 1000),
                #"{"type":"startTimer","payload":{"dueTime_ms":0,"period_ms":1000}}"#
            ),
            (.stopTimer, #"{"type":"stopTimer"}"#),
            (.showAlert("hi"), #"{"type":"showAlert","payload":"hi"}"#),
            (
                .fetch(delayMilliseconds: 100, fail: false),
                #"{"type":"fetch","payload":{"delay_ms":100,"fail":false}}"#
            ),
            (.tick, #"{"type":"tick"}"#),
            (.fetched("a"), #"{"type":"fetched","payload":"a"}"#),
            (.failed("b"), #"{"type":"failed","payload":"b"}"#),
            (
                .reconcile(clients: ["c1"], effects: ["timer"]),
                #"{"type":"reconcile","payload":{"clients":["c1"],"effects":["timer"]}}"#
            ),
        ]
        for (action, form) in forms { try expectWire(action, form) }
        let types = try forms.map { try value(Typed.self, $0.1).type }
        #expect(types == CounterAction.clientTypes + CounterAction.ownTypes)
    }

    @Test func theShortcutReadsWhatCodableReads() throws {
        let texts = [
            (#"{"type":"increment"}"#, true), (#"{"type":"decrement"}"#, true),
            (#"{"type":"add","payload":-5}"#, true), (#"{"payload":5.0,"type":"add"}"#, true),
            (#"{"type":"add","payload":9223372036854775807,"x":1}"#, true),
            (#"{"type":"add","payload":9223372036854775808}"#, false),
            (#"{"type":"add","payload":1.5}"#, false), (#"{"type":"add"}"#, false),
            (#"{"type":"add","payload":null}"#, false),
            (#"{"type":"add","payload":[5]}"#, false),
            (#"{"type":"increment","payload":null}"#, false),
            (#"{"type":"stopTimer"}"#, false), (#"{"type":"showAlert","payload":"5"}"#, false),
            (#"{"payload":5}"#, false), ("[5]", false),
        ]
        for (text, isRead) in texts {
            try expectSameDirectly(CounterAction.self, text, isRead: isRead)
        }
    }

    @Test func whatDoesNotDecodeNamesThePlace() throws {
        let five = try actionError(CounterAction.self, #"{"type":"add","payload":"five"}"#)
        #expect(five?.at == JSONPointer(tokens: ["payload"]))
        let unknown = try actionError(CounterAction.self, #"{"type":"incremant"}"#)
        #expect(unknown?.message.contains("increment") == true)
        let period = try actionError(
            CounterAction.self, #"{"type":"startTimer","payload":{"dueTime_ms":0,"period_ms":1.5}}"#
        )
        #expect(period?.at == JSONPointer(tokens: ["payload", "period_ms"]))
    }

    @Test func theStateHasItsForm() throws {
        let empty =
            #"{"count":0,"isRunning":false,"ticks":0,"alert":{"value":null,"count":0},"#
            + #""fetched":null,"isLoading":false}"#
        #expect(try text(CounterState()) == empty)
        #expect(try value(CounterState.self, empty) == CounterState())

        let stage = Stage(CounterState(), CounterReducer())
        try stage.dispatch(.add(10))
        try stage.dispatch(.fetched("a"))
        #expect(
            try text(stage.state)
                == #"{"count":10,"isRunning":false,"ticks":0,"#
                + #""alert":{"value":"Count reached 10!","count":1},"#
                + #""fetched":"a","isLoading":false}"#)
        #expect(try value(CounterState.self, text(stage.state)) == stage.state)
    }

    @Test func aHostIsToldOfReconcileOnly() {
        let told = Told(CounterAction.self)
        #expect(told.connected == nil)
        #expect(told.disconnected == nil)
        #expect(told.reconcile == .some(.reconcile(clients: ["c1"], effects: ["x"])))
    }
}
