import Testing

@testable import RexServer

@Suite struct LogStormsTests {
    /// So that what changes it can stand in an expectation.
    private final class Storms {
        var storms = LogStorms()

        func take(_ subject: String, at now: UInt64, _ name: StaticString = "unauthorized") -> Bool
        {
            storms.take(.info, name, about: subject, at: now) { ["peer": subject] } != nil
        }

        func words(at now: UInt64) -> [String] {
            storms.takeDue(at: now).map {
                "\($0.name) \($0.members.first?.value ?? "-") \($0.count)"
            }
        }
    }

    private let storms = Storms()

    @Test func theFirstIsALineAndTheOthersOfTheSecondAreOneMore() {
        #expect(storms.take("a", at: 100))
        for now in UInt64(100)..<1_050 { #expect(!storms.take("a", at: now)) }
        #expect(storms.storms.next == 1_100)
        #expect(storms.words(at: 1_099) == [])
        #expect(storms.words(at: 1_100) == ["unauthorized a 950"])
        // While it goes on there is a line a second.
        #expect(!storms.take("a", at: 1_200) && storms.storms.next == 2_100)
        #expect(storms.words(at: 2_100) == ["unauthorized a 1"])
        // A second of silence ends it.
        #expect(storms.words(at: 3_100) == [] && storms.storms.next == nil)
        #expect(storms.take("a", at: 3_101))
    }

    /// At the end of a server, whenever that is.
    @Test func whatIsCountedCanBeTakenAtAnyTime() {
        #expect(storms.take("a", at: 5) && !storms.take("a", at: 6))
        #expect(storms.words(at: .max) == ["unauthorized a 1"])
    }

    @Test func anotherNameAndAnotherSubjectAreOtherEvents() {
        #expect(
            storms.take("a", at: 0) && storms.take("b", at: 0) && storms.take("a", at: 0, "denied"))
        #expect(!storms.take("a", at: 0))
        #expect(storms.words(at: 1_000) == ["unauthorized a 1"])
    }

    @Test func aCrowdOfSubjectsIsCountedByTheName() {
        var written = 0
        for number in 0..<100_000 where storms.take("\(number)", at: 0) { written += 1 }
        #expect(written == LogStorms.subjectsLimit)
        #expect(!storms.take("x", at: 0, "denied"))
        let lines = storms.words(at: 1_000)
        #expect(lines == ["denied - 1", "unauthorized - \(100_000 - written)"])
        // And there is room again for single ones.
        #expect(storms.words(at: 2_000) == [])
        #expect(storms.take("x", at: 2_001))
    }
}
