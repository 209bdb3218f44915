import Foundation
import Testing

@testable import RexProtocol

/// Public test vectors, read from the folder that `REX_VECTORS` names: `json/` of JSONTestSuite,
/// `json-patch/tests.json` of json-patch-tests.
@Suite struct VectorTests {
    static let folder = ProcessInfo.processInfo.environment["REX_VECTORS"].map {
        URL(fileURLWithPath: $0)
    }

    @Test(.enabled(if: folder != nil, "REX_VECTORS names no folder of vectors"))
    func jsonTestSuite() throws {
        let folder = try #require(Self.folder).appendingPathComponent("json")
        let files = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        #expect(files.count > 100)
        let parser = JSONParser()
        for file in files.sorted() where file.hasSuffix(".json") {
            let bytes = [UInt8](try Data(contentsOf: folder.appendingPathComponent(file)))
            let isTaken = (try? parser.withParsed(bytes) { $0.value }) != nil
            if file.hasPrefix("y_object_duplicated_key") {
                #expect(!isTaken, "\(file)")
            } else if file.hasPrefix("y_") {
                #expect(isTaken, "\(file)")
            } else if file.hasPrefix("n_") {
                #expect(!isTaken, "\(file)")
            }
        }
    }

    @Test(.enabled(if: folder != nil, "REX_VECTORS names no folder of vectors"))
    func jsonPatchTests() throws {
        let file = try #require(Self.folder).appendingPathComponent("json-patch/tests.json")
        let records = try JSONDecoder().decode([JSONValue].self, from: Data(contentsOf: file))
        #expect(records.count > 50)
        var run = 0
        for record in records where record["disabled"]?.bool != true {
            guard let document = record["doc"], let operations = record["patch"] else { continue }
            run += 1
            var value = document
            let result = Result {
                try JSONPatch(operations).apply(to: &value)
            }
            if record["error"] != nil {
                // Foundation has dropped the second of two members with one name already.
                let isDuplicate = record["comment"]?.string?.contains("duplicate") == true
                #expect((try? result.get()) == nil || isDuplicate, "\(record)")
                if (try? result.get()) == nil { #expect(value == document, "\(record)") }
            } else if let expected = record["expected"] {
                #expect(throws: Never.self, "\(record)") { try result.get() }
                #expect(value == expected, "\(record)")
            }
        }
        #expect(run > 50)
    }
}
