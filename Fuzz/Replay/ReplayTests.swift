import FoundationEssentials
import Testing

/// Every input that fuzzing has kept, and every one that ever failed, through the same code.
@Suite struct ReplayTests {
    /// `Fuzz/Corpus` and `Fuzz/Crashes`, with a folder for each target.
    private static let root = String(#filePath.dropLast("Replay/ReplayTests.swift".count))

    @Test(arguments: FuzzTarget.allCases) func whatWasFoundStaysFixed(target: FuzzTarget) throws {
        var count = 0
        for kind in ["Corpus", "Crashes"] {
            let folder = "\(Self.root)\(kind)/\(target.rawValue)"
            guard FileManager.default.fileExists(atPath: folder) else { continue }
            for name in try FileManager.default.contentsOfDirectory(atPath: folder).sorted() {
                let input = try Data(contentsOf: URL(filePath: "\(folder)/\(name)"))
                #expect(throws: Never.self, "\(kind)/\(target.rawValue)/\(name)") {
                    try target.run(Array(input))
                }
                count += 1
            }
        }
        #expect(count > 0, "no seeds of \(target)")
    }
}
