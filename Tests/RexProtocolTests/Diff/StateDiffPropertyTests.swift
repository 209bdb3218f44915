import Foundation
import RexTesting
import Testing

@testable import RexProtocol

@Suite struct StateDiffPropertyTests {
    /// 20,000 pairs, a million where long tests are asked for. A million want an optimised build.
    static let rounds: Int = {
        #if DEBUG
            return 20_000
        #else
            return ProcessInfo.processInfo.environment["REX_LONG_TESTS"] == "1"
                ? 1_000_000 : 20_000
        #endif
    }()

    @Test func patchesLeadFromAnyStateToAnyOther() throws {
        let seed = UInt64.random(in: 0..<1_000_000)
        print("StateDiff: seed \(seed), \(Self.rounds) pairs")
        var maker = StateMaker(random: SeededRandom(seed: seed))
        let diff = StateDiff<EverythingState>()
        var old = maker.make()
        var before = try JSONCoder.value(of: old)
        for round in 0..<Self.rounds {
            var new = old
            if maker.chance(20) { new = maker.make() } else { maker.change(&new) }
            let after = try JSONCoder.value(of: new)
            let patch = try diff.patch(from: old, to: new)
            let patched = try before.patched(patch.raw)
            guard patched == after, patch.isEmpty || before != after else {
                Issue.record(
                    "seed \(seed), round \(round): \(patch.raw) from \(before) to \(after)")
                return
            }
            let place = maker.place(in: maker.chance(2) ? before : after)
            let part = try diff.patch(at: place, of: patch, from: old, to: new)
            let (x, y) = (before.value(at: place), after.value(at: place))
            guard try (x ?? .null).patched(part) == y ?? .null, part == nil || x != y,
                try diff.json(of: new, at: place)?.value == y
            else {
                Issue.record(
                    """
                    seed \(seed), round \(round): at '\(place)' \(part as Any), whole \
                    \(patch.raw) from \(before) to \(after)
                    """)
                return
            }
            old = new
            before = after
        }
    }
}

extension JSONValue {
    fileprivate func patched(_ patch: RawJSON?) throws -> JSONValue {
        var value = self
        if let patch { try JSONPatch(patch.value).apply(to: &value) }
        return value
    }
}

extension StateMaker {
    /// A place in a value, or where there is none.
    mutating func place(in value: JSONValue) -> JSONPointer {
        var place = JSONPointer.root
        var current = value
        while !chance(4) {
            switch current {
            case .array(let list) where !list.isEmpty:
                let index = below(list.count)
                place = place.appending(index)
                current = list[index]
            case .object(let object) where !object.isEmpty:
                let member = object[below(object.count)]
                place = place.appending(member.key)
                current = member.value
            default: return chance(10) ? place.appending("nowhere") : place
            }
        }
        return place
    }
}
