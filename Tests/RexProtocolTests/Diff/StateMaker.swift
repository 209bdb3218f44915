import Foundation
import Rex
import RexTesting

@testable import RexProtocol

/// Makes states and changes them, at random.
struct StateMaker {
    var random: SeededRandom

    mutating func below(_ bound: Int) -> Int { Int.random(in: 0..<bound, using: &random) }
    mutating func chance(_ part: Int) -> Bool { below(part) == 0 }

    mutating func text() -> String {
        let texts = [
            "", "a", "b", "a/b", "~", "~1", "\u{E9}", "e\u{301}", "😀", "\"\\\n", "0", "1", "-",
            "a text that is longer than fifteen bytes", "another text of more than fifteen bytes",
        ]
        // Also equal texts in memory of their own.
        return chance(4) ? String(texts[below(texts.count)].map { $0 }) : texts[below(texts.count)]
    }

    mutating func item() -> EverythingState.Item {
        .init(
            id: below(6), text: text(), flag: chance(2), note: chance(3) ? nil : text())
    }

    mutating func shape(_ depth: Int = 0) -> EverythingState.Shape {
        switch below(depth > 2 ? 3 : 4) {
        case 0: .none
        case 1: .circle(Double(below(4)) / 2)
        case 2: .labelled(text: text(), size: chance(2) ? nil : below(3))
        default: .pair(shape(depth + 1), shape(depth + 1))
        }
    }

    mutating func json(_ depth: Int = 0) -> JSONValue {
        switch below(depth > 3 ? 6 : 8) {
        case 0: return .null
        case 1: return .bool(chance(2))
        case 2: return .int(below(5) - 2)
        case 3: return .double([0.5, 1, 1e300, -0.0][below(4)])
        case 4: return .uint(.max)
        case 5: return .string(text())
        case 6: return .array((0..<below(4)).map { _ in json(depth + 1) })
        default:
            return .object(JSONObject((0..<below(4)).map { _ in (text(), json(depth + 1)) }))
        }
    }

    mutating func either() -> Either {
        switch below(7) {
        case 0: .number(below(3))
        case 1: .decimal([0, 1, 0.5][below(3)])
        case 2: .text(text())
        case 3: .item(item())
        case 4: .list((0..<below(4)).map { _ in below(3) })
        case 5: .set([below(3), below(12), below(3)])
        default: .nothing
        }
    }

    mutating func animal() -> Animal {
        let animal: Animal
        switch below(3) {
        case 0: animal = Animal()
        case 1:
            let dog = Dog()
            dog.tricks = (0..<below(3)).map { _ in text() }
            animal = dog
        default:
            let cat = Cat()
            cat.lives = below(10)
            animal = cat
        }
        animal.name = text()
        return animal
    }

    /// Changes a list in one of the ways in which lists change.
    mutating func edit<T>(_ list: inout [T], _ make: (inout StateMaker) -> T) {
        for _ in 0...below(3) {
            switch below(6) {
            case 0: list.append(make(&self))
            case 1: list.insert(make(&self), at: below(list.count + 1))
            case 2: if !list.isEmpty { list.remove(at: below(list.count)) }
            case 3: if !list.isEmpty { list[below(list.count)] = make(&self) }
            case 4: if !list.isEmpty { list.append(list.removeFirst()) }
            default: if chance(8) { list.reverse() } else { list.append(make(&self)) }
            }
        }
        if list.count > 6 { list.removeFirst(list.count - 6) }
    }

    mutating func edit<K, V>(
        _ map: inout [K: V], _ key: (inout StateMaker) -> K, _ make: (inout StateMaker) -> V
    ) {
        for _ in 0...below(3) {
            // Removed first, so that the key's own spelling gets in.
            let key = key(&self)
            map[key] = nil
            if !chance(3) { map[key] = make(&self) }
        }
    }

    mutating func make() -> EverythingState {
        var state = EverythingState()
        for field in 0..<Self.fields where chance(5) { change(field, of: &state) }
        return state
    }

    static let fields = 38

    mutating func change(_ state: inout EverythingState) {
        for _ in 0...(chance(4) ? 8 : 1) { change(below(Self.fields), of: &state) }
    }

    private mutating func change(_ field: Int, of state: inout EverythingState) {
        field < 20 ? changeScalar(field, of: &state) : changeContainer(field, of: &state)
    }

    private mutating func changeScalar(_ field: Int, of state: inout EverythingState) {
        switch field {
        case 0: state.bool.toggle()
        case 1: state.int = below(3)
        case 2: state.int8 = Int8(below(3)) - 1
        case 3: state.uint64 = chance(2) ? .max : UInt64(below(3))
        case 4: state.uint16 = UInt16(below(3))
        case 5: state.double = [0, -0.0, 0.1, 1e22][below(4)]
        case 6: state.float = [0, -0.0, 0.1, 3][below(4)]
        case 7: state.text = text()
        case 8: state.none = chance(2) ? nil : text()
        case 9: state.item = chance(3) ? nil : item()
        case 10: state.alert = chance(3) ? nil : text()
        case 11: state.color = EverythingState.Color.allCases[below(3)]
        case 12: state.shape = shape()
        case 13: state.date = Date(timeIntervalSinceReferenceDate: Double(below(4)) / 4_000)
        case 14: state.data = Data((0..<below(40)).map { UInt8($0) })
        case 15:
            state.id =
                chance(2) ? UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 9)) : state.id
        case 16: state.url = chance(2) ? nil : URL(string: "https://example.org/\(below(3))")
        case 17: state.decimal = Decimal(below(3)) / 4
        case 18: state.either = either()
        default: state.animal = animal()
        }
    }

    private mutating func changeContainer(_ field: Int, of state: inout EverythingState) {
        switch field {
        case 20: edit(&state.shapes) { $0.shape() }
        case 21: edit(&state.items) { $0.item() }
        case 22: edit(&state.numbers) { $0.below(4) }
        case 23: edit(&state.texts) { $0.chance(3) ? nil : $0.text() }
        case 24: edit(&state.nested) { maker in (0..<maker.below(4)).map { Int8($0) } }
        case 25:
            var list = Array(state.raw)
            edit(&list) { $0.item() }
            state.raw = ContiguousArray(list)
        case 26: edit(&state.byName, { $0.text() }) { $0.item() }
        case 27: edit(&state.optionals, { $0.text() }) { $0.chance(2) ? nil : $0.below(3) }
        case 28: edit(&state.byNumber, { $0.below(20) - 3 }) { $0.text() }
        case 29:
            edit(&state.byColor, { EverythingState.Color.allCases[$0.below(3)] }) { maker in
                (0..<maker.below(4)).map { _ in maker.below(2) }
            }
        case 30: edit(&state.byItem, { $0.item() }) { $0.below(3) }
        case 31: state.ids = Set((0..<below(5)).map { _ in below(12) })
        case 32: state.names = Set((0..<below(5)).map { _ in text() })
        case 33: edit(&state.dates) { Date(timeIntervalSinceReferenceDate: Double($0.below(3))) }
        case 34: changeJSON(of: &state)
        case 35: changeCustom(&state.custom)
        case 36: edit(&state.sequence.list) { $0.item() }
        default: edit(&state.map.members, { $0.text() }) { $0.item() }
        }
    }

    private mutating func changeJSON(of state: inout EverythingState) {
        if chance(3) {
            state.text2 = RawJSON(json())
        } else if case .object(var object) = state.json, chance(2) {
            object[text()] = json()
            state.json = .object(object)
        } else {
            state.json = json()
        }
    }

    private mutating func changeCustom(_ custom: inout Custom) {
        switch below(5) {
        case 0: edit(&custom.members, { $0.text() }) { $0.below(3) }
        case 1: edit(&custom.list) { $0.text() }
        case 2: custom.hidden = chance(2) ? nil : below(3)
        case 3: custom.inner = text()
        default: custom.order.toggle()
        }
    }
}
