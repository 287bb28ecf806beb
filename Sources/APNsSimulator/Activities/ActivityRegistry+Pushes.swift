// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs

/// Pushes and broadcasts, as the device takes them.
extension ActivityRegistry {
    /// Processes a push that was delivered to the device.
    ///
    /// `newID` is the ID of the activity if the push starts one. `channelExists` returns whether the app has the
    /// channel with an ID.
    /// - Returns: the effects for the world; if the push has no effect, they include the reason.
    mutating func receive(
        _ arrival: ActivityPushDelivery,
        newID: ActivityID,
        switches: ActivityOptions,
        now: Double,
        channelExists: (String) -> Bool
    ) -> [ActivityEffect] {
        switch arrival.way {
        case .token(let id), .broadcast(let id):
            guard self[id] != nil else {
                let fault = ActivityPushError(.unknownActivity, "the activity \(id) no longer exists")
                return self.noteIgnored(fault, arrival, now: now)
            }
            return self.receive(arrival, for: id, switches: switches, now: now)
        case .pushToStart(let type):
            do throws(ActivityPushError) {
                return try self.start(
                    arrival,
                    tokenType: type,
                    id: newID,
                    switches: switches,
                    now: now,
                    channelExists: channelExists
                )
            } catch {
                return self.noteIgnored(error, arrival, now: now)
            }
        }
    }

    // MARK: Update and end

    private mutating func receive(
        _ arrival: ActivityPushDelivery,
        for id: ActivityID,
        switches: ActivityOptions,
        now: Double
    ) -> [ActivityEffect] {
        var effects: [ActivityEffect] = []
        do throws(ActivityPushError) {
            let push = try ActivityPush(payload: arrival.payload)
            try self.checkAddress(push, arrival, id)
            let excess = try self.overBudget(arrival, switches: switches, now: now)
            let hints = try self.check(push, id, arrival: arrival, switches: switches, now: now)
            if let excess {
                self.postpone(push, arrival, id, excess, now: now, to: &effects)
                return effects
            }
            self.change(id, to: &effects) { record, effects in
                record.follow(
                    push,
                    origin: arrival.origin,
                    hints: hints,
                    apnsID: arrival.apnsID,
                    switches: switches,
                    now: now,
                    to: &effects
                )
            }
        } catch {
            self.ignore(error, id, origin: arrival.origin, apnsID: arrival.apnsID, now: now, to: &effects)
        }
        return effects
    }

    /// Keeps the reason why a push changed nothing of an activity.
    mutating func ignore(
        _ fault: ActivityPushError,
        _ id: ActivityID,
        origin: ActivityTimelineEntry.Origin,
        apnsID: APNsID?,
        now: Double,
        to effects: inout [ActivityEffect]
    ) {
        self.change(id, to: &effects) { record, effects in
            record.note(
                .ignored,
                origin,
                at: now,
                cause: fault.cause,
                detail: fault.detail,
                apnsID: apnsID,
                to: &effects
            )
        }
    }

    private func checkAddress(
        _ push: ActivityPush,
        _ arrival: ActivityPushDelivery,
        _ id: ActivityID
    ) throws(ActivityPushError) {
        if push.event == .start {
            if case .broadcast = arrival.way {
                throw ActivityPushError(
                    .startByBroadcast,
                    "a broadcast can update or end activities, but not start one"
                )
            }
            throw ActivityPushError(
                .wrongToken,
                "a start must be sent to the push-to-start token, not to an update token"
            )
        }
        guard let record = self[id], record.state.isRunning else {
            throw ActivityPushError(.ended, "the activity is \(self[id]?.state.rawValue ?? "gone")")
        }
    }

    /// Takes the push from the app's budget.
    ///
    /// - Returns: until when it has to wait; `nil` if it need not.
    private mutating func overBudget(
        _ arrival: ActivityPushDelivery,
        switches: ActivityOptions,
        now: Double
    ) throws(ActivityPushError) -> (until: Double, hourly: Int)? {
        guard arrival.isUrgent else { return nil }
        var app = self[arrival.host.device, arrival.bundleID]
        guard let limit = app.hourlyBudget(switches, of: arrival.host) else { return nil }
        let until = app.budget.take(hourly: limit, now: now)
        self[arrival.host.device, arrival.bundleID] = app
        if until == 0 { return nil }
        if let until, switches.overBudget == .postpone { return (until, limit) }
        throw ActivityPushError(.overBudget, "the app has used its \(limit) priority-10 pushes per hour")
    }

    private mutating func postpone(
        _ push: ActivityPush,
        _ arrival: ActivityPushDelivery,
        _ id: ActivityID,
        _ excess: (until: Double, hourly: Int),
        now: Double,
        to effects: inout [ActivityEffect]
    ) {
        self.change(id, to: &effects) { record, effects in
            record.dropPostponed(now: now, to: &effects)
            record.postponed = ActivityRecord.Postponed(
                push: push,
                origin: arrival.origin,
                apnsID: arrival.apnsID,
                until: excess.until,
                hourly: excess.hourly
            )
            record.note(
                .postponed,
                arrival.origin,
                at: now,
                // Cannot trap: the longest delay is one hour, for a budget of one push per hour.
                detail: "over the budget; delayed by \(Int((excess.until - now).rounded(.up))) s",
                apnsID: arrival.apnsID,
                to: &effects
            )
        }
    }

    /// Checks the time, the content and the size of an update or an end.
    private func check(
        _ push: ActivityPush,
        _ id: ActivityID,
        arrival: ActivityPushDelivery,
        switches: ActivityOptions,
        now: Double
    ) throws(ActivityPushError) -> [String] {
        guard let record = self[id] else { return [] }
        if push.event == .update {
            if let newest = record.timestamp, push.timestamp < newest {
                throw ActivityPushError(
                    .olderTimestamp,
                    "aps.timestamp: expected at least \(newest.seconds), that of the latest update, got "
                        + "\(push.timestamp.seconds)"
                )
            }
            try Self.checkPast(push, arrival, switches: switches, now: now)
        }
        try Self.checkFuture(push, switches: switches, now: now)
        guard let contentState = push.contentState else {
            if push.event == .end { return [] }
            throw ActivityPushError(.missingContentState, "aps.content-state: expected an object, got nothing")
        }
        let hints = try self.decode(
            attributes: nil,
            contentState: contentState,
            type: record.attributesType,
            bundleID: record.bundleID,
            now: now
        )
        try Self.checkSize(attributes: record.attributes, contentState: contentState)
        return hints
    }

    static func checkPast(
        _ push: ActivityPush,
        _ arrival: ActivityPushDelivery,
        switches: ActivityOptions,
        now: Double
    ) throws(ActivityPushError) {
        guard let tolerance = switches.pastTolerance else { return }
        let age = (switches.pastReference == .acceptance ? arrival.acceptedAt : now) - push.timestamp
        guard age > tolerance else { return }
        throw ActivityPushError(
            .pastTimestamp,
            "aps.timestamp: expected at most \(tolerance.seconds) s ago, got \(age.seconds) s ago"
        )
    }

    static func checkFuture(
        _ push: ActivityPush,
        switches: ActivityOptions,
        now: Double
    ) throws(ActivityPushError) {
        let lead = push.timestamp - now
        guard lead > switches.futureLimit else { return }
        let hint = push.timestamp > 1e11 ? "; it looks like milliseconds" : ""
        throw ActivityPushError(
            .futureTimestamp,
            "aps.timestamp: expected at most \(switches.futureLimit.seconds) s in the future, got \(lead.seconds) "
                + "s\(hint)"
        )
    }
}

extension Double {
    /// As a message says it: whole where it is whole.
    var seconds: String { Int64(exactly: self).map { "\($0)" } ?? "\(self)" }
}
