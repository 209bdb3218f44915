import Glibc

/// Fails a test in Swift Testing and in XCTest without being linked to either.
///
/// A program that uses this library for something else must not carry a test framework, so both are
/// looked up among the symbols of the process. The functions are public in both, and Swift
/// Testing's binary interface is stable (it is built for library evolution): what it passes by
/// address is passed by address here. A framework that runs no test ignores what it is told, so
/// each that is there is told.
enum TestRunner {
    static func record(_ failure: TestFailure) {
        let isRecorded = [recordInSwiftTesting(failure), recordInXCTest(failure)]
        precondition(
            isRecorded.contains(true), "outside a test: \(failure.message) (\(failure.filePath))")
    }

    // MARK: - XCTest

    /// `XCTFail(_ message: String, file: StaticString, line: UInt)`; false where it is not there.
    static func recordInXCTest(_ failure: TestFailure) -> Bool {
        struct Fail {
            let call: (String, StaticString, UInt) -> Void
        }
        let name = "$s6XCTest7XCTFail_4file4lineySS_s12StaticStringVSutF"
        guard let fail = function(named: name, as: Fail.self) else { return false }
        fail.call(failure.message, failure.filePath, failure.line)
        return true
    }

    // MARK: - Swift Testing

    /// `Issue.record(_ comment: Comment?, sourceLocation: SourceLocation) -> Issue`; false where it
    /// is not there.
    static func recordInSwiftTesting(_ failure: TestFailure) -> Bool {
        struct Locate {
            let call: (consuming String, consuming String, Int, Int) -> Returned
        }
        struct Record {
            let call: (UnsafeRawPointer, UnsafeRawPointer) -> Returned
        }
        let locateName = "$s7Testing14SourceLocationV6fileID0D4Path4line6columnACSS_SSS2itcfC"
        let recordName = "$s7Testing5IssueV6record_14sourceLocationAcA7CommentVSg_AA06SourceE0VtFZ"
        guard let locate = function(named: locateName, as: Locate.self),
            let record = function(named: recordName, as: Record.self),
            let comment = type(named: "7Testing7CommentV") as? any RawRepresentable.Type,
            fits("7Testing5IssueV"), fits("7Testing14SourceLocationV")
        else { return false }
        var location = locate.call(
            "\(failure.fileID)", "\(failure.filePath)", Int(failure.line), Int(failure.column))
        withOptional(comment, rawValue: failure.message) { comment in
            // What comes back is one issue, which is never let go of: a failed test can afford it.
            withUnsafePointer(to: &location) { _ = record.call(comment, UnsafeRawPointer($0)) }
        }
        return true
    }

    /// Memory for a value that a function returns by address, which every struct of another library
    /// is.
    private struct Returned {
        typealias Words = (
            UInt, UInt, UInt, UInt, UInt, UInt, UInt, UInt,
            UInt, UInt, UInt, UInt, UInt, UInt, UInt, UInt
        )

        let words: (Words, Words, Words, Words)
    }

    private static func fits(_ name: String) -> Bool {
        guard let type = type(named: name) else { return false }
        func size<T>(_ type: T.Type) -> Int { MemoryLayout<T>.size }
        return _openExistential(type, do: size) <= MemoryLayout<Returned>.size
    }

    /// Lends an optional of a type that is only known by its name.
    private static func withOptional<T: RawRepresentable>(
        _ type: T.Type, rawValue: String, _ body: (UnsafeRawPointer) -> Void
    ) {
        let value = (rawValue as? T.RawValue).flatMap(T.init(rawValue:))
        withUnsafePointer(to: value) { body(UnsafeRawPointer($0)) }
    }

    // MARK: - Symbols

    private static func type(named name: String) -> Any.Type? { _typeByName(name) }

    /// The Swift function behind a symbol, if the process has one, in a struct that holds nothing
    /// else: its address, and no context. By itself in a generic place it would be another, which
    /// takes its arguments by address.
    private static func function<Function>(
        named name: String, as type: Function.Type
    ) -> Function? {
        guard let address = dlsym(nil, name) else { return nil }
        let value: (UnsafeMutableRawPointer, UnsafeMutableRawPointer?) = (address, nil)
        precondition(MemoryLayout<Function>.size == MemoryLayout.size(ofValue: value))
        return withUnsafePointer(to: value) {
            UnsafeRawPointer($0).assumingMemoryBound(to: Function.self).pointee
        }
    }
}
