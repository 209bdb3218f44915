import Rex

// What the README of Swift-Rex takes from SwiftUI, as small as its lines need: text out,
// taps in. So those lines stand in the tests as they are.

@MainActor
protocol View {
    associatedtype Body: View
    @ViewBuilder var body: Body { get }
}

extension Never: View {
    var body: Never { return fatalError("nothing has no body") }
}

/// What a person would see, and could tap.
@MainActor
struct Rendering {
    var texts: [String] = []
    var taps: [String: () -> Void] = [:]
    var fields: [String: ObservableBinding<String>] = [:]

    init(_ view: some View) { render(view) }

    private mutating func render(_ view: some View) {
        switch view {
        case let text as Text: texts.append(text.text)
        case let button as Button: taps[button.title] = button.action
        case let field as TextField: fields[field.title] = field.text
        case let group as Group: for part in group.parts { render(part) }
        default: render(view.body)
        }
    }
}

protocol Leaf: View where Body == Never {}

extension Leaf {
    var body: Never { return fatalError("a leaf has no body") }
}

struct Text: Leaf {
    let text: String

    init(_ text: String) { self.text = text }
}

struct Button: Leaf {
    let title: String
    let action: () -> Void

    init(_ title: String, action: @escaping () -> Void) {
        self.title = title
        self.action = action
    }
}

struct TextField: Leaf {
    let title: String
    let text: ObservableBinding<String>

    init(_ title: String, text: ObservableBinding<String>) {
        self.title = title
        self.text = text
    }
}

struct Group: Leaf {
    let parts: [any View]
}

// swift-format-ignore: AlwaysUseLowerCamelCase
@MainActor
func VStack(@ViewBuilder _ content: () -> Group) -> Group { content() }

@MainActor
@resultBuilder
enum ViewBuilder {
    static func buildExpression(_ view: some View) -> Group { Group(parts: [view]) }
    static func buildBlock(_ parts: Group...) -> Group { Group(parts: parts) }
    static func buildOptional(_ part: Group?) -> Group { part ?? Group(parts: []) }
}

/// SwiftUI's wrapper asks for a redraw; Observation does that by itself.
@propertyWrapper
struct ObservedObject<Value> {
    var wrappedValue: Value
}

@propertyWrapper
struct StateObject<Value> {
    var wrappedValue: Value
}
