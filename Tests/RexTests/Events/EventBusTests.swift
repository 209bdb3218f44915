import Rex
import Synchronization
import Testing

private struct Ping: Sendable, Equatable {
    let number: Int
}

@Suite(.timeLimit(.minutes(1)))
struct EventBusTests {
    let bus = EventBus()
    let notes = Notebook()

    @Test func `subscribers get the type they asked for`() {
        bus.subscribe(to: Ping.self) { [notes] in notes.write("ping \($0.number)") }
        bus.subscribe(to: Ping.self, where: { $0.number > 1 }) { [notes] in
            notes.write("big \($0.number)")
        }
        bus.subscribe(to: String.self) { [notes] in notes.write($0) }
        bus.publish(Ping(number: 1))
        bus.publish("text")
        bus.publish(Ping(number: 2))
        #expect(notes.lines == ["ping 1", "text", "ping 2", "big 2"])
    }

    @Test func `subscribers get the topics they asked for`() {
        bus.subscribe(topics: "news.*") { [notes] in notes.write("\($0.topic) \($0.value)") }
        bus.publish(1, topic: "news.sport")
        bus.publish(2, topic: "news.sport.late")
        bus.publish(3, topic: "news")
        bus.publish(Ping(number: 4))
        #expect(notes.lines == ["news.sport 1"])
    }

    @Test func `nothing comes after cancel`() {
        let token = bus.subscribe(to: Int.self) { [notes] in notes.write("\($0)") }
        bus.publish(1)
        token.cancel()
        token.cancel()
        bus.publish(2)
        #expect(notes.lines == ["1"])
    }

    @Test func `an event from inside comes after`() {
        bus.subscribe(to: Int.self) { [bus, notes] number in
            if number < 3 { bus.publish(number + 1) }
            notes.write("\(number)")
        }
        bus.subscribe(to: Int.self) { [notes] in notes.write("also \($0)") }
        bus.publish(1)
        #expect(notes.lines == ["1", "also 1", "2", "also 2", "3", "also 3"])
    }

    @Test func `a stream keeps the newest for a slow reader`() async {
        let events = bus.events(of: Int.self, bufferLimit: 3)
        for number in 1...10 { bus.publish(number) }
        var seen: [Int] = []
        for await number in events {
            seen.append(number)
            if number == 10 { break }
        }
        #expect(seen == [8, 9, 10])
    }

    @Test func `each publisher's events come in order, whoever else publishes`() async {
        let box = Box<[Int: [Int]]>([:])
        bus.subscribe(to: Ping.self) { ping in
            box.value.withLock { $0[ping.number / 10_000, default: []].append(ping.number) }
        }
        await withTaskGroup { group in
            for publisher in 0..<4 {
                group.addTask { [bus] in
                    for number in 0..<5_000 {
                        bus.publish(Ping(number: publisher * 10_000 + number))
                    }
                }
            }
        }
        // Behind everything: the last publisher may have left its event to another's thread.
        await withCheckedContinuation { done in
            let once = bus.subscribe(to: Bool.self) { _ in done.resume() }
            bus.publish(true)
            once.cancel()
        }
        let all = box.value.withLock { $0 }
        for publisher in 0..<4 {
            #expect(all[publisher] == (0..<5_000).map { publisher * 10_000 + $0 })
        }
    }
}

/// A value that closures share.
final class Box<Value: Sendable>: Sendable {
    let value: Mutex<Value>

    init(_ value: Value) {
        self.value = Mutex(value)
    }
}
