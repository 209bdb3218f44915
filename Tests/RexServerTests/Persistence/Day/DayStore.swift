import Foundation
import Rex
import RexProtocol

/// What many clients change for a day.
struct DayState: Statable, Codable {
    var sums: [String: Int] = [:]
    var last: [String] = []
    var isBusy = false
    var rung = 0
    var starts = 0
}

enum DayAction: WireAction {
    struct Addition: Codable, Hashable, Sendable {
        let name: String
        let by: Int
    }

    struct Wish: Codable, Hashable, Sendable {
        let id: String
        let seconds: Int
    }

    case add(Addition)
    case remind(Wish)
    case forget(String)
    case work(Int)
    case rang(String)
    case done
    case started
    case reconcile([String])
    static let clientTypes = ["add", "remind", "forget", "work"]
    static let ownTypes = ["rang", "done", "started", "reconcile"]
    static var onStart: DayAction? { .started }
    static func reconcile(clients: [String], effects: [String]) -> DayAction? {
        .reconcile(effects)
    }
}

/// Time comes from the context alone, so that what is stored can be reduced again.
struct DayReducer: ContextReducer {
    private static let lastLimit = 12

    func reduce(
        state: inout DayState, action: DayAction, context: ReducerContext
    ) throws -> [Effect<DayAction>] {
        switch action {
        case .add(let addition):
            guard addition.by != 0 else { throw Refusal("0 adds nothing") }
            state.sums[addition.name, default: 0] += addition.by
            state.last.append("\(addition.name) \(context.now.timeIntervalSince1970)")
            state.last = state.last.suffix(Self.lastLimit)
        case .remind(let wish):
            let date = context.now.addingTimeInterval(Double(wish.seconds))
            return [.reminder(.rang(wish.id), id: EffectID(wish.id), at: date)]
        case .forget(let id): return [.cancel(EffectID(id))]
        case .work(let seconds):
            state.isBusy = true
            return [.delayed(.done, delay: .seconds(seconds), id: "work")]
        case .rang(let id):
            state.rung += 1
            state.last = (state.last + [id]).suffix(Self.lastLimit)
        case .done: state.isBusy = false
        case .started: state.starts += 1
        case .reconcile(let effects): state.isBusy = effects.contains("work")
        }
        return []
    }
}
