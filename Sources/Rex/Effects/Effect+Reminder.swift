public import FoundationEssentials

extension Effect {
    /// Dispatches `action` once, at a time of the calendar: at once where that has passed.
    ///
    /// On a durable store it is stored with the commit that it came with, and outlives the server:
    /// after a start it waits on, or is dispatched late where the server was down at its time. It
    /// is removed with the commit of its action, so it comes once. Where nothing is stored it is a
    /// delay that keeps to the calendar. It counts as long-lived: nobody who awaits effects waits
    /// for it.
    ///
    /// - Parameters:
    ///   - id: names the reminder: a later one under the same id replaces it, `cancel` removes it.
    ///   - date: looked at again every minute, so that a clock that is set moves it.
    public static func reminder(_ action: Action, id: EffectID, at date: Date) -> Effect {
        Effect(
            plan: .labelled(
                EffectLabel(id: id, cancelInFlight: true),
                Effect(plan: .reminder(Reminder(id: id, date: date, action: action)))))
    }
}

/// An action that waits for its time.
public struct Reminder<Action: Sendable>: Sendable {
    /// Its name; at most one waits under it.
    public let id: EffectID
    /// When it is due.
    public let date: Date
    /// What is dispatched then.
    public let action: Action

    /// A reminder as a journal held it.
    public init(id: EffectID, date: Date, action: Action) {
        self.id = id
        self.date = date
        self.action = action
    }

    func map<Other: Sendable>(
        _ transform: @escaping @Sendable (Action) -> Other
    ) -> Reminder<Other> {
        Reminder<Other>(id: id, date: date, action: transform(action))
    }
}

extension StoreCore {
    /// Has a reminder wait that a journal held. It belongs to no commit.
    public func resume(_ reminder: Reminder<R.Action>) {
        withDrain {
            start(
                .reminder(reminder.action, id: reminder.id, at: reminder.date),
                at: EffectPlace(revision: latest, group: nil))
        }
    }

    /// The longest that the calendar is not looked at.
    private static var lookAgain: Duration { .seconds(60) }

    func wait(for reminder: Reminder<R.Action>, as strand: Strand<R.Action>) {
        strand.reminder = reminder.id
        onReminder?(reminder.id, reminder)
        let (now, date) = (now, reminder.date)
        let done = Effect<R.Action>(plan: .fire(reminder.action))
        launch(
            EffectWork(
                isLongLived: true,
                prepare: { clock in
                    { emitter in
                        while true {
                            let left = date.timeIntervalSince(now())
                            if left <= 0 { return emitter.run(done) }
                            // A delay of years is more than a Duration of some clocks holds.
                            let part = min(.seconds(min(left, 3_600)), Self.lookAgain)
                            try await clock.sleep(for: part)
                        }
                    }
                }, recover: nil), as: strand)
    }

    /// Its time has come: what says so is noted before the action's commit, and so is stored with
    /// it.
    func fire(_ action: R.Action, at place: EffectPlace<R.Action>) {
        if let strand = place.parent?.listed { didEnd(strand) }
        start(.send(action), at: place)
    }

    /// A strand that was a reminder is one no more.
    func didEnd(_ strand: Strand<R.Action>) {
        guard let id = strand.reminder else { return }
        strand.reminder = nil
        onReminder?(id, nil)
    }
}
