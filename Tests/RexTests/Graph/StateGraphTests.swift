import Foundation
import Rex
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
