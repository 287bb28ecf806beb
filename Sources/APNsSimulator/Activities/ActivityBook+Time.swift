// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// What activities do by themselves.
extension ActivityBook {
    /// Lets an activity do what is due.
    mutating func look(at id: ActivityID, switches: ActivitySwitches, now: Double) -> [ActivityEffect] {
        var effects: [ActivityEffect] = []
        guard self.takeReminder(id, now: now) else { return effects }
        while let record = self[id], let due = record.nextDue, due <= now {
            if record.state.isRunning, let postponed = record.postponed, postponed.until <= now {
                self.followPostponed(postponed, id, switches: switches, now: now, to: &effects)
                continue
            }
            self.change(id, to: &effects) { record, effects in
                record.move(switches: switches, now: now, to: &effects)
            }
        }
        // Even where nothing was due: the reminder is used up, and the next one has to be planned.
        _ = self.takeReminder(id, now: now)
        self.change(id, to: &effects) { _, _ in }
        return effects
    }

    private mutating func followPostponed(
        _ postponed: ActivityRecord.Postponed,
        _ id: ActivityID,
        switches: ActivitySwitches,
        now: Double,
        to effects: inout [ActivityEffect]
    ) {
        guard let record = self[id] else { return }
        var app = self[record.device, record.bundleID]
        let until = app.budget.take(hourly: postponed.hourly, now: now)
        self[record.device, record.bundleID] = app
        if let until, until > now {
            self.change(id, to: &effects) { record, _ in record.postponed?.until = until }
            return
        }
        do throws(ActivityFault) {
            let hints = try self.decode(
                attributes: nil,
                contentState: postponed.push.contentState,
                type: record.attributesType,
                bundleID: record.bundleID,
                now: now
            )
            if let newest = record.timestamp, postponed.push.timestamp < newest {
                throw ActivityFault(.olderTimestamp, "a newer update came while it waited for the budget")
            }
            self.change(id, to: &effects) { record, effects in
                record.postponed = nil
                record.follow(
                    postponed.push,
                    origin: postponed.origin,
                    hints: hints,
                    apnsID: postponed.apnsID,
                    switches: switches,
                    now: now,
                    to: &effects
                )
            }
        } catch {
            self.change(id, to: &effects) { record, _ in record.postponed = nil }
            self.ignore(error, id, origin: postponed.origin, apnsID: postponed.apnsID, now: now, to: &effects)
        }
    }
}

extension ActivityRecord {
    /// Does what is due of what needs nothing but the activity.
    fileprivate mutating func move(switches: ActivitySwitches, now: Double, to effects: inout [ActivityEffect]) {
        // The end comes before a change of the token that is due at the same time.
        defer {
            self.issueTokenIfDue(now: now, to: &effects)
            self.closeTokenIfDue(now: now, to: &effects)
        }
        switch self.state {
        case .pending where self.startsAt <= now:
            self.state = .active
            self.note(.started, .system, at: now, detail: "as scheduled", to: &effects)
            self.becomeStaleIfDue(now: now, to: &effects)
        case .active, .stale:
            if self.startsAt + Self.maximumActive <= now {
                self.end(
                    nil,
                    .system,
                    dismissal: .default,
                    details: ["active for 8 hours"],
                    switches: switches,
                    now: now,
                    to: &effects
                )
            } else {
                self.becomeStaleIfDue(now: now, to: &effects)
            }
        case .ended:
            if let dismissesAt = self.dismissesAt, dismissesAt <= now {
                self.dismiss(.system, switches: switches, now: now, to: &effects)
            }
        case .pending, .dismissed: break
        }
    }
}
