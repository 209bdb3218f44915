import Foundation
import RexTesting
import Testing
import XCTest

struct TestFailureTests {
    @Test func `it fails a test of Swift Testing, at its place`() {
        withKnownIssue {
            TestFailure("the words", fileID: "A/b.swift", filePath: "/a/b.swift", line: 7).record()
        } matching: { issue in
            issue.comments.map(\.rawValue) == ["the words"] && issue.sourceLocation?.line == 7
                && issue.sourceLocation?.fileID == "A/b.swift"
        }
    }

    @Test(.timeLimit(.minutes(1)))
    func `it fails a test of XCTest, at its place`() throws {
        let runner = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        let child = try ChildProcess(
            [runner, "RexTests.FailingXCTests/testFails", "--testing-library", "xctest"],
            environment: [FailingXCTests.order: "1"])
        let output = try child.rest()
        #expect(
            output.contains("/a/b.swift:7: error: FailingXCTests.testFails : failed - the words"),
            "\(output) \(child.errorText)")
        #expect(output.contains("Executed 1 test, with 1 failure"))
        #expect(try child.wait() == .exited(1))
    }
}

/// Fails where it is told to, which is in a process of its own.
final class FailingXCTests: XCTestCase {
    static let order = "REX_TEST_FAILS"

    func testFails() {
        if ProcessInfo.processInfo.environment[Self.order] == nil { return }
        TestFailure("the words", filePath: "/a/b.swift", line: 7).record()
    }
}
