import Foundation
import Rex
import RexTesting
import Testing

struct StateGraphTests {
    /// A graph that stands on the last of these nodes.
    private func graph(_ path: GraphNodeID...) throws -> StateGraph {
        var graph = StateGraph(rootID: path[0])
        for id in path.dropFirst() { try graph.push(id) }
        return graph
    }

    @Test func showsItsRootAtFirst() {
        let graph = StateGraph()
        #expect(graph.activePath == ["root"])
        #expect(graph.rootID == "root")
        #expect(graph.activeNodeID == "root")
        #expect(graph.nodes == ["root": .init(parentID: nil)])
    }

    @Test func pushPutsANodeOnTop() throws {
        let graph = try graph("root", "a", "b")
        #expect(graph.activePath == ["root", "a", "b"])
        #expect(graph.activeNodeID == "b")
        #expect(
            graph.nodes == [
                "root": .init(parentID: nil), "a": .init(parentID: "root"),
                "b": .init(parentID: "a"),
            ])
    }

    @Test func pushOfANodeInThePathGoesBackToIt() throws {
        var graph = try graph("root", "a", "b", "c")
        #expect(try graph.push("a") == ["c", "b"])
        #expect(graph.activePath == ["root", "a"])
        #expect(try graph.push("a") == [])
        #expect(graph.activePath == ["root", "a"])
    }

    @Test func pushOverTheLimitIsRefused() throws {
        var graph = StateGraph()
        for number in 1..<StateGraph.depthLimit { try graph.push(GraphNodeID("\(number)")) }
        let full = graph
        #expect(throws: Refusal.self) { try graph.push("more") }
        #expect(graph == full)
        #expect(try graph.push("1").count == StateGraph.depthLimit - 2)
    }

    @Test func popGoesBackToTheRootAndNoFurther() throws {
        var graph = try graph("root", "a", "b")
        #expect(graph.pop() == "b")
        #expect(graph.pop() == "a")
        #expect(graph.pop() == nil)
        #expect(graph.activePath == ["root"])
    }

    @Test func popToStopsAtTheNode() throws {
        var graph = try graph("root", "a", "b", "c")
        #expect(try graph.popTo("a") == ["c", "b"])
        #expect(graph.activePath == ["root", "a"])
        #expect(try graph.popTo("a") == [])
    }

    @Test func popToANodeThatIsNotThereIsRefused() throws {
        var graph = try graph("root", "a", "b")
        let refusal = #expect(throws: Refusal.self) { try graph.popTo("c") }
        #expect(refusal?.message == "'c' is not in the path root → a → b")
        #expect(graph.activePath == ["root", "a", "b"])
    }

    @Test func popToRootLeavesOnlyTheRoot() throws {
        var graph = try graph("root", "a", "b")
        #expect(graph.popToRoot() == ["b", "a"])
        #expect(graph.activePath == ["root"])
        #expect(graph.popToRoot() == [])
    }

    @Test func applyDoesWhatTheFunctionsDo() throws {
        var graph = StateGraph()
        #expect(try graph.apply(.push("a")) == [])
        #expect(try graph.apply(.push("b")) == [])
        #expect(try graph.apply(.pop) == ["b"])
        #expect(try graph.apply(.push("b")) == [])
        #expect(try graph.apply(.popTo("root")) == ["b", "a"])
        #expect(try graph.apply(.push("a")) == [])
        #expect(try graph.apply(.popToRoot) == ["a"])
        #expect(try graph.apply(.pop) == [])
        #expect(throws: Refusal.self) { try graph.apply(.popTo("a")) }
    }

    @Test func aNodeBesideThePathLivesAsLongAsTheOneItWasMountedFrom() throws {
        var graph = try graph("root", "a", "b")
        try graph.mount("people", dependency: "members")
        try graph.mount("faces", from: "people", dependency: "pictures")
        try graph.mount("people", from: "b", dependency: "members")
        try graph.mount("clock", from: "a", dependency: "time")
        #expect(graph.mounted == ["root", "a", "b", "people", "faces", "clock"])
        #expect(graph.nodes["faces"] == .init(parentID: "people", dependency: "pictures"))
        #expect(graph.children(of: "a") == ["b", "clock"])
        #expect(graph.dependencies(from: "b").map(\.key) == ["members"])
        #expect(graph.dependencies(from: "b").map(\.node) == ["people"])
        #expect(graph.edges.first == GraphEdge(from: "root", to: "a", kind: .navigation))
        #expect(graph.pop() == "b")
        #expect(graph.mounted == ["root", "a", "clock"])
        #expect(!graph.isMounted("faces"))
        try graph.push("b")
        try graph.mount("people", dependency: "members")
        #expect(try graph.unmount("a") == ["people", "clock", "b", "a"])
        #expect(graph == StateGraph())
    }

    @Test func unmountTakesOnlyWhatDepends() throws {
        var graph = try graph("root", "a")
        try graph.mount("x", dependency: "1")
        try graph.mount("y", from: "x", dependency: "2")
        try graph.mount("z", from: "a", dependency: "3")
        #expect(try graph.unmount("x") == ["y", "x"])
        #expect(graph.mounted == ["root", "a", "z"])
        #expect(throws: Refusal.self) { try graph.unmount("x") }
        #expect(throws: Refusal.self) { try graph.unmount("root") }
    }

    @Test func pushOfANodeBesideThePathBringsItIntoThePath() throws {
        var graph = try graph("root", "a")
        try graph.mount("x", dependency: "1")
        try graph.mount("y", from: "x", dependency: "2")
        #expect(try graph.push("x") == ["y"])
        #expect(graph.mounted == ["root", "a", "x"])
    }

    @Test func mountRefusesWhatCannotBe() throws {
        var graph = try graph("root", "a")
        try graph.mount("x", dependency: "1")
        let before = graph
        #expect(throws: Refusal.self) { try graph.mount("y", from: "gone", dependency: "2") }
        #expect(throws: Refusal.self) { try graph.mount("x", from: "root", dependency: "1") }
        #expect(throws: Refusal.self) { try graph.mount("root", dependency: "1") }
        #expect(graph == before)
        for number in 1..<StateGraph.besideLimit {
            try graph.mount(GraphNodeID("n\(number)"), dependency: "many")
        }
        #expect(throws: Refusal.self) { try graph.mount("more", dependency: "many") }
        #expect(graph.violation == nil)
    }

    @Test func nothingThatIsDoneBreaksARule() throws {
        var random = SeededRandom(seed: 7)
        var graph = StateGraph()
        let ids = (0..<12).map { GraphNodeID("\($0)") }
        for _ in 0..<5_000 {
            let id = ids.randomElement(using: &random) ?? "0"
            let before = graph.mounted
            var removed: [GraphNodeID]?
            switch Int.random(in: 0..<6, using: &random) {
            case 0: removed = try? graph.push(id)
            case 1: removed = try? graph.apply(.pop)
            case 2: removed = try? graph.popTo(id)
            case 3: removed = try? graph.unmount(id)
            default:
                try? graph.mount(
                    id, from: ids.randomElement(using: &random), dependency: "needs")
            }
            #expect(graph.violation == nil)
            if let removed {
                let gone = before.filter { !graph.isMounted($0) }
                #expect(Set(removed) == Set(gone))
            }
        }
    }

    @Test func theActiveNodeReadsAsAnOptionalToo() {
        let graph = StateGraph()
        #expect(graph.activeNodeID?.rawValue == "root")
    }

    @Test func whatIsBesideThePathIsInJSONToo() throws {
        var graph = try graph("root", "a")
        try graph.mount("x", from: "root", dependency: "k")
        let text = try JSONEncoder().encode(graph)
        #expect(try JSONDecoder().decode(StateGraph.self, from: text) == graph)
        let wrong = #"{"path":["a"],"beside":[{"id":"x","parent":"y","key":"k"}]}"#
        #expect(throws: DecodingError.self) {
            try JSONDecoder().decode(StateGraph.self, from: Data(wrong.utf8))
        }
    }

    @Test func isItsPathInJSON() throws {
        let graph = try graph("root", "a")
        let text = try JSONEncoder().encode(graph)
        #expect(String(decoding: text, as: UTF8.self) == #"{"path":["root","a"]}"#)
        #expect(try JSONDecoder().decode(StateGraph.self, from: text) == graph)
    }

    @Test(arguments: [#"{"path":[]}"#, #"{"path":["a","b","a"]}"#, #"{"path":[1]}"#, "{}"])
    func isNotReadFromWhatIsNoPath(_ text: String) {
        #expect(throws: DecodingError.self) {
            try JSONDecoder().decode(StateGraph.self, from: Data(text.utf8))
        }
    }
}
