import Rex

/// An element like a chat's message: five fields, 72 bytes.
private struct Message: Equatable, Codable {
    var id: String
    var from = "somebody"
    var text = "a text that is longer than what fits into the string itself"
    var at = 1_796_040_000.0
    var edited = false

    init(_ number: Int) { id = "m\(number)" }
}

/// One edit while the value before it is kept, as a store keeps it for subscribers and history.
///
/// Each step copies the list, edits the copy and drops the copy before; then, where a tree is the
/// list, the places that differ are found. Measures neither the comparison of the elements in these
/// places nor encoding.
func collectionsTable() async {
    for count in [100, 10_000, 100_000] {
        let messages = (0..<count).map { Message($0) }
        print("collections: one edit of \(count) messages while the list before is kept")
        await edits("Array", messages, count: max(20, 200_000 / count)) { _, _ in }
        await edits("TreeArray", TreeArray(messages), count: 20_000) { _, _ in }
        await edits("TreeArray and its changes", TreeArray(messages), count: 20_000) { old, new in
            keep(new.changes(since: old).count)
        }
        await edits("TreeArray as the diff asks", TreeArray(messages), count: 20_000, asked)
        await maps(messages)
        await reading(messages)
    }
}

/// As the diff of two states asks: it does not know the type.
private func asked(_ old: any DiffableSequence, _ new: any DiffableSequence) {
    func ask<S: DiffableSequence>(_ new: S) {
        guard let old = old as? S else { return }
        for change in new.changes(since: old) {
            keep(old.elements(in: change.old).count + new.elements(in: change.new).count)
        }
    }
    ask(new)
}

private func edits<List>(
    _ name: String, _ list: List, count: Int, _ compare: (List, List) -> Void
) async
where
    List: RangeReplaceableCollection & MutableCollection & RandomAccessCollection,
    List.Element == Message, List.Index == Int
{
    let fresh = Message(-1)
    func each(_ title: String, _ edit: (inout List) -> Void) async {
        await row("\(name): \(title)", count: count, unit: "edits") {
            var now = list
            for _ in 0..<count {
                var next = now
                edit(&next)
                compare(now, next)
                now = next
            }
            keep(now.count)
        }
    }
    await each("append") { $0.append(fresh) }
    await each("insert in front") { $0.insert(fresh, at: 0) }
    await each("edit in the middle") { $0[$0.count / 2].edited.toggle() }
    await each("append, remove first") {
        $0.append(fresh)
        $0.remove(at: 0)
    }
}

private func maps(_ messages: [Message]) async {
    let pairs = messages.map { ($0.id, $0) }
    let key = messages[messages.count / 2].id
    let plain = Dictionary(pairs) { $1 }
    let edits = max(20, 200_000 / messages.count)
    await row("Dictionary: edit one", count: edits, unit: "edits") {
        var now = plain
        for _ in 0..<edits {
            var next = now
            next[key]?.edited.toggle()
            now = next
        }
        keep(now.count)
    }
    let tree = TreeMap(pairs)
    await row("TreeMap: edit one", count: 20_000, unit: "edits") {
        var now = tree
        for _ in 0..<20_000 {
            var next = now
            next[key]?.edited.toggle()
            now = next
        }
        keep(now.count)
    }
    await row("TreeMap: edit one, and its changes", count: 20_000, unit: "edits") {
        var now = tree
        var changed = 0
        for _ in 0..<20_000 {
            var next = now
            next[key]?.edited.toggle()
            next.forEachChangedKey(since: now) { _, _, _ in changed += 1 }
            now = next
        }
        keep(changed)
    }
    var found = 0
    await row("Dictionary: look up", count: messages.count, unit: "keys") {
        for message in messages where plain[message.id] != nil { found += 1 }
    }
    await row("TreeMap: look up", count: messages.count, unit: "keys") {
        for message in messages where tree[message.id] != nil { found += 1 }
    }
    keep(found)
}

private func reading(_ messages: [Message]) async {
    let tree = TreeArray(messages)
    var edited = 0
    await row("Array: read each by index", count: messages.count, unit: "elements") {
        for index in messages.indices where messages[index].edited { edited += 1 }
    }
    await row("TreeArray: read each by index", count: messages.count, unit: "elements") {
        for index in tree.indices where tree[index].edited { edited += 1 }
    }
    await row("Array: iterate", count: messages.count, unit: "elements") {
        for message in messages where message.edited { edited += 1 }
    }
    await row("TreeArray: iterate", count: messages.count, unit: "elements") {
        for message in tree where message.edited { edited += 1 }
    }
    let other = TreeArray(messages)
    await row("TreeArray: compare, nothing shared", count: messages.count, unit: "elements") {
        keep(tree == other)
    }
    await row("Array: build", count: messages.count, unit: "elements") {
        var list: [Message] = []
        for message in messages { list.append(message) }
        keep(list.count)
    }
    await row("TreeArray: build", count: messages.count, unit: "elements") {
        var list = TreeArray<Message>()
        for message in messages { list.append(message) }
        keep(list.count)
    }
    keep(edited)
}
