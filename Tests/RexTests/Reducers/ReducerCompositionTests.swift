import Rex
import RexTesting
import Synchronization
import Testing

struct Row: Statable, Identifiable {
    var id: Int
    var ticks = 0
    var sheet: Sheet?
}

struct Sheet: Statable {
    var text = ""
}

enum SheetAction: Actionable {
    case write(String)
    case wait
    case refuse
    case delegate(Delegate)

    enum Delegate: Actionable {
        case dismiss
    }
}

struct SheetReducer: Reducer {
    func reduce(state: inout Sheet, action: SheetAction) throws -> [Effect<SheetAction>] {
        switch action {
        case .write(let text): state.text = text
        case .wait:
            return [
                .delayed(.write("waited"), delay: .seconds(1), id: "wait", cancelInFlight: true)
            ]
        case .refuse:
            state.text = "refused"
            throw Refusal("no")
        case .delegate: break
        }
        return []
    }
}

enum RowAction: Actionable {
    case tick
    case start
    case stop
    case sheet(SheetAction)
}

struct RowReducer: Reducer {
    var body: some Reducer<Row, RowAction> {
        AnyReducer { (row: inout Row, action: RowAction) -> [Effect<RowAction>] in
            switch action {
            case .tick: row.ticks += 1
            case .start: return [.interval(.tick, id: "ticks", period: .seconds(1))]
            case .stop: return [.cancel("ticks")]
            case .sheet(.delegate(.dismiss)): row.sheet = nil
            case .sheet: break
            }
            return []
        }
        .ifLet(
            \.sheet, action: { .sheet($0) },
            extract: { if case .sheet(let action) = $0 { action } else { nil } },
            then: { SheetReducer() })
    }

    func reduce(state: inout Row, action: RowAction) throws -> [Effect<RowAction>] {
        try body.reduce(state: &state, action: action)
    }
}

struct Board: Statable {
    var rows: [Row] = []
    var named: [String: Sheet] = [:]
    var list: TreeArray<Row> = []
    var map: TreeMap<String, Sheet> = [:]
    var main = Row(id: 0)
    var other = Row(id: 0)
    var log: [String] = []
}

enum BoardAction: Actionable {
    case row(Int, RowAction)
    case named(String, SheetAction)
    case list(Int, RowAction)
    case map(String, SheetAction)
    case main(RowAction)
    case other(RowAction)
    case setRows([Row])
    case setNamed([String: Sheet])
    case setList(TreeArray<Row>)
    case setMap(TreeMap<String, Sheet>)
    case cancel(EffectID)
    case refuse
}

private func boardReducer() -> some Reducer<Board, BoardAction> {
    CombineReducer {
        AnyReducer { (board: inout Board, action: BoardAction) -> [Effect<BoardAction>] in
            switch action {
            case .setRows(let rows): board.rows = rows
            case .setNamed(let named): board.named = named
            case .setList(let list): board.list = list
            case .setMap(let map): board.map = map
            case .cancel(let id): return [.cancel(id)]
            case .refuse: throw Refusal("the board")
            default: break
            }
            return []
        }
        .forEach(
            \.rows, action: { .row($0, $1) },
            extract: { if case .row(let id, let action) = $0 { (id, action) } else { nil } },
            do: { RowReducer() }
        )
        .forEach(
            \.named, action: { .named($0, $1) },
            extract: { if case .named(let key, let action) = $0 { (key, action) } else { nil } },
            do: { SheetReducer() }
        )
        .forEach(
            \.list, action: { .list($0, $1) },
            extract: { if case .list(let id, let action) = $0 { (id, action) } else { nil } },
            do: { RowReducer() }
        )
        .forEach(
            \.map, action: { .map($0, $1) },
            extract: { if case .map(let key, let action) = $0 { (key, action) } else { nil } },
            do: { SheetReducer() })
        RowReducer().scope(
            state: \Board.main, action: { BoardAction.main($0) },
            extract: { if case .main(let action) = $0 { action } else { nil } })
        RowReducer().scope(
            state: \Board.other, action: { BoardAction.other($0) },
            extract: { if case .other(let action) = $0 { action } else { nil } })
        for name in ["first", "second"] {
            AnyReducer { (board: inout Board, _: BoardAction) -> [Effect<BoardAction>] in
                board.log.append(name)
                return []
            }
        }
    }
}

@Suite(.timeLimit(.minutes(1)))
struct ReducerCompositionTests {
    let clock = TestClock()

    private func core(
        _ board: Board = Board()
    ) -> StoreCore<AnyReducer<Board, BoardAction>> {
        StoreCore(
            initialState: board, reducer: AnyReducer(boardReducer()), clock: clock,
            inbox: { _ in })
    }

    @Test func `every part of a builder is asked, in order`() {
        let core = core()
        core.dispatch(.main(.tick))
        #expect(core.state.main.ticks == 1)
        #expect(core.state.other.ticks == 0)
        #expect(core.state.log == ["first", "second"])
    }

    @Test func `a refusal of one part leaves nothing of the others`() {
        let core = core(Board(main: Row(id: 0, sheet: Sheet())))
        guard case .refused = core.dispatch(.main(.sheet(.refuse))) else {
            Issue.record("it was not refused")
            return
        }
        #expect(core.state == Board(main: Row(id: 0, sheet: Sheet())))
        #expect(core.revision == 0)
    }

    @Test func `an optional that goes takes its effects with it`() {
        let core = core(Board(main: Row(id: 0, sheet: Sheet()), other: Row(id: 0, sheet: Sheet())))
        core.dispatch(.main(.sheet(.wait)))
        core.dispatch(.other(.sheet(.wait)))
        core.dispatch(.main(.start))
        #expect(core.runningEffects.map(\.id) == ["wait", "wait", "ticks"])
        core.dispatch(.main(.sheet(.delegate(.dismiss))))
        #expect(core.state.main.sheet == nil)
        #expect(core.runningEffects.map(\.id) == ["wait", "ticks"])
        core.dispatch(.other(.sheet(.delegate(.dismiss))))
        #expect(core.runningEffects.map(\.id) == ["ticks"])
        core.cancelAllEffects()
    }

    @Test func `an action for what is not there is refused`() {
        let core = core()
        for action: BoardAction in [
            .main(.sheet(.wait)), .row(7, .tick), .named("x", .wait), .list(7, .tick),
            .map("x", .wait),
        ] {
            guard case .refused(let error) = core.dispatch(action) else {
                Issue.record("\(action) was not refused")
                continue
            }
            #expect("\(error)".contains("nobody to do it"))
        }
    }
    @Test func `an element that goes takes its effects with it, where a hook aborts effects too`() {
        let aborting = AnyPipelineHook<Board, BoardAction> { phase, _ in
            if case .willRunEffects(.setRows, _) = phase { .abort } else { .continue }
        }
        let core = StoreCore(
            initialState: Board(rows: [Row(id: 1)]), reducer: AnyReducer(boardReducer()),
            hooks: [aborting], clock: clock, inbox: { _ in })
        core.dispatch(.row(1, .start))
        #expect(core.runningEffects.count == 1)
        core.dispatch(.setRows([]))
        #expect(core.runningEffects.isEmpty)
    }

    @Test func `an element that goes takes its effects with it, and nobody else's`() {
        let core = core()
        core.dispatch(.setRows([Row(id: 1, sheet: Sheet()), Row(id: 2, sheet: Sheet())]))
        for id in 1...2 {
            core.dispatch(.row(id, .start))
            core.dispatch(.row(id, .sheet(.wait)))
        }
        #expect(core.runningEffects.count == 4)
        core.dispatch(.row(1, .sheet(.delegate(.dismiss))))
        #expect(core.runningEffects.map(\.id) == ["ticks", "ticks", "wait"])
        core.dispatch(.setRows([Row(id: 1), Row(id: 3)]))
        #expect(core.runningEffects.map(\.id) == ["ticks"])
        core.dispatch(.row(1, .stop))
        #expect(core.runningEffects.isEmpty)
    }

    @Test func `a child cancels and replaces only what is its own, the parent everything`() {
        let core = core()
        core.dispatch(.setRows([Row(id: 1, sheet: Sheet()), Row(id: 2, sheet: Sheet())]))
        core.dispatch(.row(1, .start))
        core.dispatch(.row(2, .start))
        core.dispatch(.row(1, .sheet(.wait)))
        core.dispatch(.row(2, .sheet(.wait)))
        core.dispatch(.row(2, .sheet(.wait)))
        #expect(core.runningEffects.map(\.fromRevision) == [2, 3, 4, 6])
        core.dispatch(.row(1, .stop))
        #expect(core.runningEffects.map(\.fromRevision) == [3, 4, 6])
        core.dispatch(.cancel("wait"))
        #expect(core.runningEffects.map(\.fromRevision) == [3])
        core.cancelAllEffects()
    }

    @Test func `a dictionary's values are children too`() {
        let core = core()
        core.dispatch(.setNamed(["a": Sheet(), "b": Sheet()]))
        core.dispatch(.named("a", .write("x")))
        core.dispatch(.named("a", .wait))
        core.dispatch(.named("b", .wait))
        #expect(core.state.named["a"]?.text == "x")
        core.dispatch(.setNamed(["b": Sheet()]))
        #expect(core.runningEffects.map(\.fromRevision) == [4])
        core.cancelAllEffects()
    }

    @Test func `what is in a TreeArray or a TreeMap are children too`() {
        let core = core()
        var list = TreeArray((0..<200).map { Row(id: $0) })
        core.dispatch(.setList(list))
        for id in [0, 100, 199] { core.dispatch(.list(id, .start)) }
        core.dispatch(.list(100, .tick))
        #expect(core.state.list[100].ticks == 1)
        // Who only moves keeps what it has started.
        list.removeSubrange(90..<110)
        list.insert(list.removeLast(), at: 0)
        core.dispatch(.setList(list))
        #expect(core.runningEffects.map(\.fromRevision) == [2, 4])
        core.cancelAllEffects()

        core.dispatch(.setMap(["a": Sheet(), "b": Sheet(), "caf\u{e9}": Sheet()]))
        for key in ["a", "b", "cafe\u{301}"] { core.dispatch(.map(key, .wait)) }
        core.dispatch(.map("a", .write("x")))
        #expect(core.state.map["a"]?.text == "x")
        // The same key, spelled differently.
        core.dispatch(.setMap(["b": Sheet(text: "y"), "cafe\u{301}": Sheet()]))
        #expect(core.runningEffects.map(\.fromRevision) == [9, 10])
        core.cancelAllEffects()
    }

    @Test func `an element's effect speaks as that element`() async {
        let store = Store(initialState: Board(), reducer: boardReducer(), clock: clock)
        store.dispatch(.setRows([Row(id: 1), Row(id: 2)]))
        let states = store.states
        store.dispatch(.row(2, .start))
        await clock.waitForSleepers(1)
        clock.advance(by: .seconds(1))
        for await state in states where state.rows.map(\.ticks) == [0, 1] { break }
    }

    @Test func `another of the same kind is not the same`() {
        struct Holder: Statable {
            var row: Row?
        }
        enum HolderAction: Actionable {
            case row(RowAction)
            case set(Row?)
        }
        let reducer = AnyReducer<Holder, HolderAction> { holder, action in
            if case .set(let row) = action { holder.row = row }
            return []
        }
        .ifLet(
            \.row, action: { .row($0) },
            extract: { if case .row(let action) = $0 { action } else { nil } },
            then: { RowReducer() })
        let core = StoreCore(
            initialState: Holder(row: Row(id: 1)), reducer: reducer, clock: clock,
            inbox: { _ in })
        core.dispatch(.row(.start))
        core.dispatch(.set(Row(id: 1, ticks: 5)))
        #expect(core.runningEffects.count == 1)
        core.dispatch(.set(Row(id: 2)))
        #expect(core.runningEffects.isEmpty)
    }

    @Test func `the context reaches every part`() {
        struct Stamp: Statable {
            var ids: [String] = []
        }
        struct Stamping: ContextReducer {
            func reduce(
                state: inout Stamp, action: TallyAction, context: ReducerContext
            ) -> [Effect<TallyAction>] {
                state.ids.append(context.uniqueID())
                return []
            }
        }
        let reducer = Stamping().combine(with: Stamping())
            .combine(with: [AnyReducer(Stamping())])
        let core = StoreCore(initialState: Stamp(), reducer: reducer, inbox: { _ in })
        core.dispatch(.nothing)
        #expect(core.state.ids == ["1-1", "1-2", "1-3"])
    }
}

/// Counts how often an id is asked for.
private let idsAsked = Atomic<Int>(0)

private struct Counted: Statable, Identifiable {
    let number: Int

    var id: Int {
        idsAsked.add(1, ordering: .relaxed)
        return number
    }
}

private struct CountedList: Statable {
    var tree = TreeArray((0..<1_000).map { Counted(number: $0) })
    var array = (0..<1_000).map { Counted(number: $0) }
    var count = 0
}

private enum CountedAction: Actionable { case add, remove }

@Suite struct ForEachCostTests {
    @Test func `an action that leaves a collection alone costs no look at its elements`() {
        let none = AnyReducer<Counted, CountedAction> { _, _ in [] }
        let reducer = AnyReducer<CountedList, CountedAction> { state, action in
            switch action {
            case .add: state.count += 1
            case .remove: state.tree.removeLast()
            }
            return []
        }
        .forEach(\.tree, action: { $1 }, extract: { _ in nil }, do: { none })
        .forEach(\.array, action: { $1 }, extract: { _ in nil }, do: { none })
        let core = StoreCore(initialState: CountedList(), reducer: reducer, inbox: { _ in })
        core.dispatch(.add)
        #expect(idsAsked.load(ordering: .relaxed) == 0)
        core.dispatch(.remove)
        #expect(idsAsked.load(ordering: .relaxed) > 0)
    }
}
