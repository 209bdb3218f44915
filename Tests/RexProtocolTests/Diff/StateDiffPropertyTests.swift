import Foundation
import RexTesting
import Testing

@testable import RexProtocol

@Suite struct StateDiffPropertyTests {
    /// 20,000 pairs, a million where long tests are asked for.
    static let rounds =
        ProcessInfo.processInfo.environment["REX_LONG_TESTS"] == "1" ? 1_000_000 : 20_000

    @Test func patchesLeadFromAnyStateToAnyOther() throws {
        let seed = UInt64.random(in: 0..<1_000_000)
        print("StateDiff: seed \(seed), \(Self.rounds) pairs")
        var maker = StateMaker(random: SeededRandom(seed: seed))
        let diff = StateDiff<EverythingState>()
        var old = maker.make()
        for round in 0..<Self.rounds {
            var new = old
            if maker.chance(50) { new = maker.make() } else { maker.change(&new) }
            let patch = try diff.patch(from: old, to: new)
            let before = try JSONCoder.value(of: old)
            let after = try JSONCoder.value(of: new)
            var patched = before
            try JSONPatch(patch.raw.value).apply(to: &patched)
            guard patched == after else {
                Issue.record(
                    "seed \(seed), round \(round): \(patch.raw) leads from \(before) to \(patched), not \(after)")
                return
            }
            if before == after { #expect(patch.isEmpty) }
            old = new
        }
    }
}
