import Testing

@Suite struct ImportRuleTests {
    static let bad = [
        Snippet("Sources/Rex/A.swift", "import Foundation"),
        Snippet("Sources/Rex/A.swift", "import RexProtocol"),
        Snippet("Sources/Rex/A.swift", "import Glibc"),
        Snippet("Sources/Rex/A.swift", "import CUV"),
        Snippet("Sources/RexProtocol/A.swift", "public import struct Foundation.Date"),
        Snippet("Sources/RexProtocol/JSON/A.swift", "import Dispatch"),
        Snippet("Sources/RexProtocol/A.swift", "import RexLoop"),
        Snippet("Sources/RexServer/A.swift", "@preconcurrency import Glibc"),
        Snippet("Sources/RexServer/Transport/A.swift", "import CUV"),
        Snippet("Sources/RexServer/A.swift", "import RexClient"),
        Snippet("Sources/RexClient/A.swift", "import RexServer"),
        Snippet("Sources/RexClient/A.swift", "import CEdit"),
        Snippet("Sources/RexTesting/Process.swift", "import Glibc"),
        Snippet("Sources/rex-server/Main.swift", "import RexClient"),
        Snippet("Sources/rex-server/Main.swift", "import CEdit"),
        Snippet("Sources/RexNew/A.swift", "import Rex"),
        Snippet("Examples/Chat.swift", "import RexServer"),
        Snippet("Benchmarks/Sources/A.swift", "import Foundation"),
        Snippet("Benchmarks/Sources/A.swift", "import CUV"),
        Snippet("Tests/RexLoopTests/A.swift", "import CUV"),
        Snippet("Tests/ProcessTests/A.swift", "@testable import RexServer"),
    ]
    static let good = [
        Snippet("Sources/Rex/A.swift", "import FoundationEssentials\nimport Synchronization"),
        Snippet("Sources/Rex/A.swift", "// import Foundation\nlet a = \"import Foundation\""),
        Snippet("Sources/Loop/A.swift", "import CUV\nimport Glibc"),
        Snippet("Sources/RexServer/A.swift", "import Rex\nimport RexLoop\nimport RexProtocol"),
        Snippet("Sources/RexClient/Terminal/A.swift", "import Glibc"),
        Snippet("Sources/RexTesting/ServerProcess+Spawn.swift", "import Glibc"),
        Snippet("Sources/RexProtocol/A.swift", "import struct Rex.Store\nimport Observation"),
        Snippet("Sources/rex-client/Main.swift", "import CEdit\nimport RexClient"),
        Snippet("Tests/RexTests/A.swift", "import Foundation\n@testable import Rex"),
        Snippet("Tests/ProcessTests/A.swift", "import RexTesting"),
        Snippet("Package.swift", "import PackageDescription"),
    ]

    @Test(arguments: bad) func finds(_ snippet: Snippet) {
        #expect(ImportRule.findings(in: snippet.file).count == 1)
    }

    @Test(arguments: good) func letsPass(_ snippet: Snippet) {
        #expect(ImportRule.findings(in: snippet.file) == [])
    }

    @Test func aCLibraryHasOneFolder() {
        let hash = Snippet("Sources/RexServer/Digest/A.swift", "import COpenSSL").file
        let more = Snippet("Sources/RexServer/Digest/B.swift", "import COpenSSL").file
        let other = Snippet("Sources/RexServer/HTTP/C.swift", "import Rex\nimport COpenSSL").file
        let client = Snippet("Sources/RexClient/TLS/D.swift", "import COpenSSL").file
        #expect([hash, more, other, client].flatMap(ImportRule.findings(in:)) == [])
        #expect(ImportRule.findings(in: [hash, more, client]) == [])
        let findings = ImportRule.findings(in: [hash, more, other, client])
        #expect(findings.map(\.path) == [other.path])
        #expect(findings.map(\.line) == [2])
        let core = Snippet("Sources/RexProtocol/A.swift", "import COpenSSL").file
        #expect(ImportRule.findings(in: core).count == 1)
    }

    @Test func aPackageFromOutsideAndAMacroAreFound() {
        let bad = Snippet(
            "Package.swift",
            ".package(url: \"https://x.y/z\", from: \"1.0.0\"),\n.macro(name: \"M\")")
        #expect(ManifestRule.findings(in: bad.file).map(\.line) == [1, 2])
        let good = Snippet("Benchmarks/Package.swift", ".package(path: \"..\"), // .macro(")
        #expect(ManifestRule.findings(in: good.file) == [])
    }
}
