import Testing

/// Names, words of one machine, and documentation.
@Suite struct WordingRuleTests {
    @Test(arguments: [
        "struct StoreManager {}", "final class PathHelper: A {}", "enum ByteUtils {}",
        "actor ErrorHandler {}", "protocol StoreImpl {}", "typealias UserInfo = Int",
        "struct MessageData<T> {}",
    ])
    func emptyNamesAreFound(_ text: String) {
        #expect(NameRule.findings(in: Snippet("Sources/Rex/A.swift", text).file).count == 1)
    }

    @Test(arguments: [
        "struct Store {}", "extension Data {}", "let handler: Handler", "struct DataSource {}",
        "// class Manager", "struct Implementation {}", "func makeInfo() {}",
    ])
    func otherNamesPass(_ text: String) {
        #expect(NameRule.findings(in: Snippet("Sources/Rex/A.swift", text).file) == [])
    }

    // Put together here, so that this file does not hold what the rule looks for.
    @Test(arguments: [
        "/\("work")/main", "see /\("root")/.cache", "/\("home")/ann/rex", "/\("tmp")/\("dev")/x",
        "http://deb.\("debian").org/debian", "\("pypi").org", "/\("opt")/swift/usr",
    ])
    func placesOfOneMachineAreFound(_ text: String) {
        let findings = WordRule.findings(in: Snippet("docs/a.md", "a\n" + text).file)
        #expect(findings.map(\.line) == [2])
    }

    @Test(arguments: [
        "/rooms/general", "/tmp/rex.sock", "the work/life of", "/var/lib/rex", "www.debian.org",
        "/workers/1",
    ])
    func otherPathsPass(_ text: String) {
        #expect(WordRule.findings(in: Snippet("docs/a.md", text).file) == [])
    }

    @Test(arguments: [
        "public struct A {}", "// no\npublic func a() {}", "/// A.\n\npublic var a: Int",
        "@frozen\npublic enum A {}", "public private(set) var a = 1", "open class A {}",
        "public static let a = 1", "public init(a: Int) {}", "public final class A {}",
        "nonisolated public func a() {}", "/// A.\nfunc a() {}\npublic class func b() {}",
        "public subscript(i: Int) -> Int { 1 }", "public typealias A = Int", "public init() {}",
        "public func encoded() {}", "public init<T>(_ a: T) {}", "public init?(_ text: String) {}",
    ])
    func undocumentedSymbolsAreFound(_ text: String) {
        let file = Snippet("Sources/Rex/A.swift", text).file
        #expect(DocumentationRule.findings(in: file).count == 1)
        #expect(DocumentationRule.findings(in: Snippet("Tests/T/A.swift", text).file) == [])
    }

    @Test(arguments: [
        "/// A.\npublic struct A {}", "/// A.\n@frozen\n// swift-format-ignore\npublic enum A {}",
        "/** A. */\npublic func a() {}", "func a() {}", "public import Rex",
        "public extension A {}",
        "public override func a() {}", "public static func == (a: A, b: A) -> Bool { true }",
        "public func hash(into hasher: inout Hasher) {}", "public init(from decoder: Decoder) {}",
        "public init?(rawValue: Int) {}", "public func _make() {}", "let a = b.open",
        "// public struct A", "/// A.\n@inlinable public func a() {}",
    ])
    func documentedAndInheritedPass(_ text: String) {
        let file = Snippet("Sources/Rex/A.swift", text).file
        #expect(DocumentationRule.findings(in: file) == [])
    }
}
