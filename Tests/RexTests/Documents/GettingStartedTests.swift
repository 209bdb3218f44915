import Foundation
import Rex
import RexTesting
import Testing

// The blocks of the article "Getting started" of Rex.docc stand here as they stand there.

struct TodoList: Statable {
    struct Item: Equatable, Sendable {
        var title: String
        var isDone = false
    }

    var items: [Item] = []
    var isLoading = false
    @PresentState var alert: String?
}

enum TodoAction: Actionable, Equatable {
    case add(String)
    case toggle(Int)
    case load
    case loaded([String])
    case failed(String)
}

struct TodoReducer: Reducer {
    let fetch: @Sendable () async throws -> [String]

    func reduce(state: inout TodoList, action: TodoAction) throws -> [Effect<TodoAction>] {
        switch action {
        case .add(let title):
            guard !title.isEmpty else { throw Refusal("a thing to do needs a title") }
            state.items.append(TodoList.Item(title: title))
        case .toggle(let place):
            guard state.items.indices.contains(place) else { throw Refusal("no item \(place)") }
            state.items[place].isDone.toggle()
        case .load:
            state.isLoading = true
            return [
                .run(id: "load", cancelInFlight: true) { [fetch] emitter in
                    emitter.send(.loaded(try await fetch()))
                } catch: { error in
                    .send(.failed("\(error)"))
                }
            ]
        case .loaded(let titles):
            state.isLoading = false
            state.items += titles.map { TodoList.Item(title: $0) }
        case .failed(let reason):
            state.isLoading = false
            state.alert = reason
        }
        return []
    }
}

func useTodos() async throws -> [String] {
    let store = Store(
        initialState: TodoList(), reducer: TodoReducer(fetch: { ["water the plants"] }))
    let token = store.observe {
        $0.items.count
    } onChange: { count in
        print("\(count) things to do")
    }
    try await store.send(.add("read this"))
    try await store.send(.load, waitForEffects: true)
    token.cancel()
    return store.state.items.map(\.title)
}

func testTodos() async {
    let store = TestStore(
        initialState: TodoList(), reducer: TodoReducer(fetch: { throw Refusal("offline") }))
    await store.send(.add("read this")) { $0.items = [TodoList.Item(title: "read this")] }
    await store.send(.load) { $0.isLoading = true }
    await store.receive(.failed("offline")) {
        $0.isLoading = false
        $0.alert = "offline"
    }
    await store.finish()
}

@Suite(.timeLimit(.minutes(1)))
struct GettingStartedTests {
    private static let root = (0..<4).reduce(URL(filePath: #filePath)) { url, _ in
        url.deletingLastPathComponent()
    }

    private static func text(of path: String) throws -> String {
        try String(contentsOf: root.appending(path: path), encoding: .utf8)
    }

    @Test func theArticleShowsWhatIsCompiledHere() throws {
        let here = try String(contentsOf: URL(filePath: #filePath), encoding: .utf8)
        let article = try Self.text(of: "Sources/Rex/Rex.docc/GettingStarted.md")
        let blocks = article.components(separatedBy: "```swift\n").dropFirst().map {
            $0.components(separatedBy: "\n```")[0]
        }
        #expect(blocks.count == 5)
        for block in blocks { #expect(here.contains(block), "not compiled: \(block)") }
    }

    @Test func itsCodeRuns() async throws {
        #expect(try await useTodos() == ["read this", "water the plants"])
        await testTodos()
    }

    /// What the catalogue names is a public type of Rex, and an article that is there.
    @Test func theCatalogueNamesWhatIsThere() throws {
        let folder = Self.root.appending(path: "Sources/Rex")
        let files = try #require(FileManager.default.enumerator(atPath: folder.path))
        let source = try files.compactMap { $0 as? String }.filter { $0.hasSuffix(".swift") }
            .map { try Self.text(of: "Sources/Rex/\($0)") }.joined()
        let pattern = /(?m)^(?:public|open) (?:final )?(?:class|struct|enum|protocol) (\w+)/
        let types = Set(source.matches(of: pattern).map { String($0.1) })
        for name in ["Rex.md", "GettingStarted.md"] {
            let page = try Self.text(of: "Sources/Rex/Rex.docc/\(name)")
            let named = page.matches(of: /``(\w+)``/).map { String($0.1) }
            #expect(named.filter { !types.contains($0) && $0 != "Rex" } == [])
            #expect(named.count > 2)
            for article in page.matches(of: /<doc:(\w+)>/) {
                #expect(try !Self.text(of: "Sources/Rex/Rex.docc/\(article.1).md").isEmpty)
            }
        }
    }
}
