/// What is wrong, and where in the test somebody expected otherwise.
public struct TestFailure: Sendable, CustomStringConvertible {
    /// For a person: what was expected, what came.
    public let message: String
    /// Module and file, as `#fileID`.
    public let fileID: StaticString
    /// The file, as `#filePath`.
    public let filePath: StaticString
    /// The line, from 1.
    public let line: UInt
    /// The column, from 1.
    public let column: UInt

    /// A failure at a place of a test.
    public init(
        _ message: String, fileID: StaticString = #fileID, filePath: StaticString = #filePath,
        line: UInt = #line, column: UInt = #column
    ) {
        self.message = message
        self.fileID = fileID
        self.filePath = filePath
        self.line = line
        self.column = column
    }

    /// The message.
    public var description: String { message }

    /// Fails the test that runs, whether Swift Testing or XCTest runs it. In a program that runs no
    /// tests it ends that: nobody else would notice.
    public func record() {
        TestRunner.record(self)
    }
}
