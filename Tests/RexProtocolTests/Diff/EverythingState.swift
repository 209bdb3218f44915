import Foundation
import Rex
import RexTesting

@testable import RexProtocol

/// A state with every kind of value that a state may be made of.
struct EverythingState: Encodable {
    enum Color: String, Codable, CodingKeyRepresentable, CaseIterable { case red, green, blue }

    indirect enum Shape: Encodable {
        case none
        case circle(Double)
        case labelled(text: String, size: Int?)
        case pair(Shape, Shape)
    }

    struct Item: Encodable, Hashable {
        var id: Int
        var text: String
        var flag: Bool
        var note: String?
    }

    var bool = false
    var int = 0
    var int8 = Int8(0)
    var uint64 = UInt64(0)
    var uint16 = UInt16(0)
    var double = 0.0
    var float = Float(0)
    var text = ""
    var none: String?
    var item: Item?
    @PresentState var alert: String?
    var color = Color.red
    var shape = Shape.none
    var shapes: [Shape] = []
    var items: [Item] = []
    var numbers: [Int] = []
    var texts: [String?] = []
    var nested: [[Int8]] = []
    var raw: ContiguousArray<Item> = []
    var byName: [String: Item] = [:]
    var optionals: [String: Int?] = [:]
    var byNumber: [Int: String] = [:]
    var byColor: [Color: [Int]] = [:]
    var byItem: [Item: Int] = [:]
    var ids: Set<Int> = []
    var names: Set<String> = []
    var date = Date(timeIntervalSinceReferenceDate: 0)
    var dates: [Date] = []
    var data = Data()
    var id = UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16))
    var url: URL?
    var decimal = Decimal(0)
    var json = JSONValue.null
    var text2 = RawJSON.null
    var custom = Custom()
    var animal = Animal()
    var either = Either.number(0)
    var sequence = PlainSequence(list: [])
    var map = PlainMap(members: [:])
}

/// What only a hand-written `encode(to:)` does.
struct Custom: Encodable {
    var members: [String: Int] = [:]
    var list: [String] = []
    var hidden: Int?
    var inner = "x"
    var order = false

    private enum Keys: String, CodingKey {
        case nested, list, hidden, first, second, mixed, via, empty
    }

    func encode(to encoder: any Encoder) throws {
        var keyed = encoder.container(keyedBy: Keys.self)
        if order { try keyed.encode(inner, forKey: .first) }
        var nested = keyed.nestedContainer(keyedBy: JSONKey.self, forKey: .nested)
        for (name, value) in members { try nested.encode(value, forKey: JSONKey(name)) }
        var list = keyed.nestedUnkeyedContainer(forKey: .list)
        for text in self.list {
            var deeper = list.nestedContainer(keyedBy: Keys.self)
            try deeper.encode(text, forKey: .first)
            var deepest = deeper.nestedUnkeyedContainer(forKey: .list)
            try deepest.encode(text.count)
            try deepest.encodeNil()
        }
        // Left out, not null.
        if let hidden { try keyed.encode(hidden, forKey: .hidden) }
        if !order { try keyed.encode(inner, forKey: .first) }
        var mixed = keyed.nestedUnkeyedContainer(forKey: .mixed)
        try mixed.encode(inner)
        try mixed.encode(hidden)
        try mixed.encode(members)
        try inner.encode(to: mixed.superEncoder())
        try members.encode(to: keyed.superEncoder(forKey: .via))
        _ = keyed.superEncoder(forKey: .empty)
    }
}

/// A hierarchy of classes: one writes into its superclass's object, one beside it.
class Animal: Encodable {
    var name = "a"

    private enum Keys: CodingKey { case name }

    func encode(to encoder: any Encoder) throws {
        var keyed = encoder.container(keyedBy: Keys.self)
        try keyed.encode(name, forKey: .name)
    }
}

final class Dog: Animal {
    var tricks: [String] = []

    private enum Keys: CodingKey { case tricks }

    override func encode(to encoder: any Encoder) throws {
        try super.encode(to: encoder)
        var keyed = encoder.container(keyedBy: Keys.self)
        try keyed.encode(tricks, forKey: .tricks)
    }
}

final class Cat: Animal {
    var lives = 9

    private enum Keys: CodingKey { case lives }

    override func encode(to encoder: any Encoder) throws {
        var keyed = encoder.container(keyedBy: Keys.self)
        try keyed.encode(lives, forKey: .lives)
        try super.encode(to: keyed.superEncoder())
    }
}

/// A value that is written as different things.
enum Either: Encodable {
    case number(Int)
    case decimal(Double)
    case text(String)
    case item(EverythingState.Item)
    case list([Int])
    case set(Set<Int>)
    case nothing

    func encode(to encoder: any Encoder) throws {
        var single = encoder.singleValueContainer()
        switch self {
        case .number(let value): try single.encode(value)
        case .decimal(let value): try single.encode(value)
        case .text(let value): try single.encode(value)
        case .item(let value): try value.encode(to: encoder)
        case .list(let value): try single.encode(value)
        case .set(let value): try single.encode(value)
        case .nothing: try single.encodeNil()
        }
    }
}

/// A sequence that tells its changes: everything between what both begin and end with.
struct PlainSequence: DiffableSequence {
    var list: [EverythingState.Item]

    var count: Int { list.count }

    func elements(in range: Range<Int>) -> [EverythingState.Item] { Array(list[range]) }

    func changes(since old: PlainSequence) -> [RangeChange] {
        if isWritten(list, as: old.list) { return [] }
        // In blocks, as nodes would be: equal ones in step are not told.
        guard list.count == old.list.count else {
            return [RangeChange(old: 0..<old.list.count, new: 0..<list.count)]
        }
        return stride(from: 0, to: list.count, by: 3).compactMap { start in
            let range = start..<min(start + 3, list.count)
            return isWritten(Array(list[range]), as: Array(old.list[range]))
                ? nil : RangeChange(old: range, new: range)
        }
    }

    func encode(to encoder: any Encoder) throws { try list.encode(to: encoder) }
}

/// A map that tells its changes.
struct PlainMap: DiffableMap {
    var members: [String: EverythingState.Item]

    func value(named name: String) -> EverythingState.Item? {
        members.first { $0.key.utf8.elementsEqual(name.utf8) }?.value
    }

    func forEachChange<Failure: Error>(
        since old: PlainMap,
        _ body: (String, EverythingState.Item?, EverythingState.Item?) throws(Failure) -> Void
    ) throws(Failure) {
        for name in members.keys.sorted() {
            let (item, before) = (value(named: name), old.value(named: name))
            if isWritten([item], as: [before]) { continue }
            try body(name, old.value(named: name), members[name])
        }
        for name in old.members.keys.sorted() where value(named: name) == nil {
            try body(name, old.members[name], nil)
        }
    }

    func encode(to encoder: any Encoder) throws { try members.encode(to: encoder) }
}

/// Whether both are the same byte for byte: texts that are equal for Swift need not be.
private func isWritten(
    _ one: [EverythingState.Item?], as other: [EverythingState.Item?]
) -> Bool {
    one.elementsEqual(other) { one, other in
        guard one == other else { return false }
        guard let one, let other else { return true }
        return one.text.utf8.elementsEqual(other.text.utf8)
            && (one.note ?? "").utf8.elementsEqual((other.note ?? "").utf8)
    }
}
