import Rex
import RexTesting
import Testing

@MainActor
@Suite(.timeLimit(.minutes(1)))
struct FlowTests {
    private let source = FlowSource<Int>()

    private func record<Element>(_ flow: Flow<Element>, _ work: () -> Void) -> [Element] {
        var seen: [Element] = []
        let token = flow.drive { seen.append($0) }
        work()
        token.cancel()
        return seen
    }

    private func send(_ numbers: Int...) {
        for number in numbers { source.send(number) }
    }

    @Test func `map, compactMap, filter`() {
        #expect(record(source.flow.map { $0 * 2 }) { send(1, 2) } == [2, 4])
        #expect(record(source.flow.compactMap { $0 > 1 ? "\($0)" : nil }) { send(1, 2) } == ["2"])
        #expect(record(source.flow.filter { $0 > 1 }) { send(1, 2, 3) } == [2, 3])
    }

    @Test func `distinct until changed, by value, by key, by rule`() {
        #expect(record(source.flow.distinctUntilChanged()) { send(1, 1, 2, 1) } == [1, 2, 1])
        #expect(record(source.flow.removeDuplicates()) { send(1, 1, 2) } == [1, 2])
        #expect(record(source.flow.distinctUntilChanged { $0 % 2 }) { send(1, 3, 2, 4) } == [1, 2])
        #expect(
            record(source.flow.distinctUntilChanged(by: <)) { send(1, 2, 0, 0) } == [1, 0, 0])
    }

    @Test func `each drive begins anew`() {
        let flow = source.flow.distinctUntilChanged().dropFirst()
        #expect(record(flow) { send(1, 1, 2) } == [2])
        #expect(record(flow) { send(2, 3) } == [3])
    }

    @Test func `merge, handle, just, never`() {
        let other = FlowSource<Int>()
        var handled: [Int] = []
        let flow = source.flow
            .merge(with: other.flow, .just(0), .never)
            .handle { handled.append($0) }
        let seen = record(flow) {
            send(1)
            other.send(2)
        }
        #expect(seen == [0, 1, 2])
        #expect(handled == seen)
        // Cancelled, both ends let go.
        send(3)
        other.send(4)
        #expect(handled == [0, 1, 2])
    }

    @Test func `a source with a value tells it to who comes later`() {
        let state = FlowSource(1)
        state.send(2)
        #expect(record(state.flow) { state.send(3) } == [2, 3])
        #expect(record(source.flow) { send(1) } == [1])
    }

    @Test func `what is sent from inside comes behind, to everybody alike`() {
        var first: [Int] = []
        var second: [Int] = []
        source.flow.drive { number in
            first.append(number)
            if number < 3 { source.send(number + 1) }
        }
        source.flow.drive { second.append($0) }
        send(1)
        #expect(first == [1, 2, 3])
        #expect(second == [1, 2, 3])
    }

    @Test func `who comes while a value is told hears it once`() {
        let state = FlowSource(0)
        var late: [Int] = []
        state.flow.drive { number in
            if number == 1 { state.flow.drive { late.append($0) } }
        }
        state.send(1)
        state.send(2)
        #expect(late == [1, 2])
    }

    @Test func `a token ends it, also from inside`() {
        var seen: [Int] = []
        var token: SubscriptionToken?
        token = source.flow.drive { number in
            seen.append(number)
            token?.cancel()
        }
        send(1, 2)
        #expect(seen == [1])
        #expect(token?.isCancelled == true)
    }

    @Test func `a bag ends what is in it, and lets go of what has ended`() {
        var seen: [Int] = []
        var bag = SubscriptionBag()
        source.flow.drive { seen.append($0) }.disposed(by: bag)
        source.flow.drive { seen.append(-$0) }.store(in: &bag)
        for _ in 1...100 {
            let token = source.flow.drive { _ in }
            token.disposed(by: bag)
            token.cancel()
        }
        #expect(bag.count == 2)
        send(1)
        bag.cancel()
        send(2)
        #expect(seen == [1, -1])
        source.flow.drive { seen.append($0) }.disposed(by: bag)
        bag = SubscriptionBag()
        send(3)
        #expect(seen == [1, -1])
    }

    @Test func `driving with an object does not keep it`() {
        final class Label { var text: String? }

        var label: Label? = Label()
        weak let remembered = label
        source.flow.map { "\($0)" }.assign(to: \.text, on: label ?? Label())
        var seen: [Int] = []
        source.flow.drive(with: label ?? Label()) { _, number in seen.append(number) }
        send(1)
        #expect(label?.text == "1")
        label = nil
        #expect(remembered == nil)
        send(2)
        #expect(seen == [1])
    }

    @Test func `setting a property may keep its object, until it is cancelled`() {
        final class Label { var text = "" }

        var label: Label? = Label()
        weak let remembered = label
        let token = source.flow.map { "\($0)" }
            .assign(to: \.text, on: label ?? Label(), ownership: .strong)
        label = nil
        send(1)
        #expect(remembered?.text == "1")
        token.cancel()
        send(2)
        #expect(remembered?.text != "2")
    }

    @Test func `for await, and the buffer's bound`() async {
        let state = FlowSource(0)
        let values = state.flow.values(bufferLimit: 2)
        for number in 1...4 { state.send(number) }
        var iterator = values.makeAsyncIterator()
        #expect(await iterator.next() == 3)
        #expect(await iterator.next() == 4)
    }

    @Test func `debounce lets the last of a burst through`() async {
        let clock = TestClock()
        let flow = source.flow.debounce(for: .seconds(1), clock: clock)
        let values = flow.values
        send(1, 2)
        await clock.waitForSleepers(1)
        clock.advance(by: .milliseconds(500))
        send(3)
        await clock.waitForSleepers(1)
        clock.advance(by: .seconds(1))
        var iterator = values.makeAsyncIterator()
        #expect(await iterator.next() == 3)
        send(4)
        await clock.waitForSleepers(1)
        clock.advance(by: .seconds(1))
        #expect(await iterator.next() == 4)
    }

    @Test func `the end of what a flow comes from ends a loop over it`() async {
        var source: FlowSource<Int>? = FlowSource(1)
        let values = source?.flow.values
        source?.send(2)
        source = nil
        var seen: [Int] = []
        if let values { for await value in values { seen.append(value) } }
        #expect(seen == [1, 2])
    }
}
