import RexTesting
import Testing

@testable import RexServer

@Suite struct DeadlineQueueTests {
    @Test func comesOutInOrderAndNotEarly() {
        var random = SeededRandom(seed: 11)
        var queue = DeadlineQueue<Int>()
        var times: [UInt64] = []
        for index in 0..<1_000 {
            let time = UInt64.random(in: 0..<300, using: &random)
            times.append(time)
            queue.add(index, at: time)
        }
        var out: [Int] = []
        for now in UInt64(0)..<300 {
            while let item = queue.takeDue(at: now) {
                #expect(times[item] == now)
                out.append(item)
            }
            #expect(queue.next.map { $0 > now } ?? true)
        }
        let expected = times.indices.sorted { (times[$0], $0) < (times[$1], $1) }
        #expect(out == expected && queue.count == 0)
    }

    @Test func whatIsAddedOnTheWayWaitsForTheNextTime() {
        var queue = DeadlineQueue<String>()
        queue.add("first", at: 5)
        queue.add("second", at: 6)
        let age = queue.order
        #expect(queue.takeDue(at: 7, addedBy: age) == "first")
        queue.add("again", at: 7)
        #expect(queue.takeDue(at: 7, addedBy: age) == "second")
        #expect(queue.takeDue(at: 7, addedBy: age) == nil)
        #expect(queue.takeDue(at: 7) == "again")
    }
}
