import Rex
import Testing

@MainActor
struct CoordinatorTests {
    private final class App: Coordinator<Int> {}
    private final class Home: Coordinator<String> {}
    private final class About: Coordinator<String> {}

    @Test func `the first and the last of a type on the way up`() {
        let app = App()
        let home = Home(parentCoordinator: app)
        let about = About(parentCoordinator: home)
        #expect(about.firstCoordinator(ofType: Home.self) === home)
        #expect(about.firstCoordinator(ofType: App.self) === app)
        #expect(about.firstCoordinator(ofType: Coordinator<String>.self) === about)
        #expect(about.lastCoordinator(ofType: Coordinator<String>.self) === home)
        #expect(home.firstCoordinator(ofType: About.self) == nil)
        #expect(app.lastChild(ofType: About.self) === about)
        #expect(app.lastChild(ofType: App.self) === app)
    }

    @Test func `a parent knows its children and does not keep them`() {
        let app = App()
        let home = Home(parentCoordinator: app)
        var about: About? = About(parentCoordinator: app)
        #expect(app.children.count == 2)
        weak let remembered = about
        about = nil
        #expect(remembered == nil)
        #expect(app.children.count == 1)
        #expect(app.children.first === home)
        app.resetChildReferences()
        #expect(app.children.isEmpty)
        #expect(home.parentCoordinator == nil)
    }

    @Test func `steps can be followed`() {
        let app = App()
        var steps: [Int] = []
        let token = app.steps.drive { steps.append($0) }
        app.perform(step: 1)
        app.perform(step: 2)
        token.cancel()
        app.perform(step: 3)
        #expect(steps == [1, 2])
        #expect(app.step == 3)
    }
}
