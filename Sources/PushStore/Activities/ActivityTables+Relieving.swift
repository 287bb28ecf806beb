// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
package import PushModel

#if canImport(FoundationEssentials)
package import FoundationEssentials
#else
package import Foundation
#endif

extension ActivityTables {
    /// Sends phones their newest content that waited for what has come to its outcome, and takes note of what has not
    /// reached its phones.
    ///
    /// To be called in the transaction by which targets of an activity's batch come to an outcome, or by which a batch is
    /// given back.
    /// - Parameters:
    ///   - batch: the batch, as it is stored now.
    ///   - failures: what of it failed by this; what a batch left that has ended is known without.
    ///   - now: the time.
    ///   - changes: what is signalled.
    /// - Throws: what the tables throw.
    package func relieve(
        _ batch: BatchRow,
        failures: [Settlement.Failure] = [],
        now: Date,
        signalling changes: inout [StoreChange]
    ) throws {
        let lifecycle = batch.lifecycle
        var failures = failures
        if let remainder = lifecycle.remainder {
            failures += (0..<lifecycle.targetCount).filter { !lifecycle.isSettled($0) }
                .map { Settlement.Failure(index: $0, outcome: .failed(remainder)) }
        }
        let free = try self.waitingPushes(on: batch.id, before: batch.endOfRelief).filter { push in
            lifecycle.state.isFinal || lifecycle.isSettled(push.position)
                // It waits for its time: overtaken by then.
                || lifecycle.waitingTime(of: push.position) != nil
        }
        guard !failures.isEmpty || !free.isEmpty else { return }
        let sentTo = failures.isEmpty ? [] : try self.participants(of: batch.id)
        let lost = failures.filter { sentTo.indices.contains($0.index) }
        let numbers = Set(lost.map { sentTo[$0.index] } + free.map(\.participant))
        // The activities first: while these are held nobody changes their phones.
        let activities = try readable(Set(numbers.map(ParticipantNumber.activity)).sorted()) {
            try self.activityRows(numbers: $0)
        }
        let known = Set(activities.map(\.number))
        var phones: [Int64: ParticipantRow] = [:]
        for phone in try readable(numbers.sorted(), { try self.participantRows(numbers: $0) })
        where known.contains(phone.activity) {
            phones[phone.number] = phone
        }
        guard let first = activities.first else { return try self.remove(free) }
        var round = ActivityRound(app: first.app, appID: first.appID, now: now)
        for row in activities { round.load(row) }
        // The batch is read anew where somebody waits for it: now that the activities are held it can be held as well.
        var behind = Set(free.map(\.participant))
        let targets = lost.contains { $0.outcome.namesTarget } ? try self.targetList(of: batch) : []
        for failure in lost {
            let number = sentTo[failure.index]
            guard var phone = phones[number] else { continue }
            try self.lose(failure, to: &phone, of: batch, targets, in: &round)
            phones[number] = phone
            if phone.participant.target != nil, failure.outcome.namesToken { behind.insert(number) }
        }
        if !free.isEmpty { try self.remove(free) }
        let drafts = Dictionary(
            uniqueKeysWithValues: activities.map { ($0.number, round.note(.caughtUp, of: $0.number)) }
        )
        try round.bringUpToDate(behind.sorted().compactMap { phones[$0] }, drafts: drafts, on: self)
        _ = try round.finish(on: self, signalling: &changes)
    }

    /// A push has not reached its phone.
    private func lose(
        _ failure: Settlement.Failure,
        to phone: inout ParticipantRow,
        of batch: BatchRow,
        _ targets: TargetList,
        in round: inout ActivityRound
    ) throws {
        let isLast = phone.batch == batch.id && phone.position == failure.index
        if isLast {
            phone.participant.miss()
            phone.batch = nil
            round.changed[phone.number] = phone
        }
        guard case .rejected(let rejection) = failure.outcome,
            failure.outcome.namesToken || phone.participant.origin == .channel && rejection.isOfDeadChannel
        else { return }
        let target = targets[failure.index]
        if phone.participant.origin == .push, phone.participant.token != target.token,
            let row = round.rows[phone.activity]
        {
            try self.removePushToStartToken(
                target,
                of: row.attributesType,
                installation: phone.participant.installation,
                app: row.app
            )
        }
        guard phone.participant.lose(target, reason: rejection.reason, isLast: isLast) else { return }
        round.changed[phone.number] = phone
        guard phone.participant.origin != .channel else {
            round.note(.channelGone, of: phone.activity, detail: rejection.reason.rawValue)
            guard let row = round.rows[phone.activity], let channel = row.channel else { return }
            round.events.append(
                .channelGone(channel.name, from: row.id, of: row.appID, reason: rejection.reason, time: round.now)
            )
            return
        }
        round.tellOfGone(phone, reason: rejection.reason.rawValue)
    }
}

extension BatchRow {
    /// The place before which targets may have come to an outcome, or be given up.
    package var endOfRelief: Int {
        if case .waiting = self.lifecycle.state { return self.lifecycle.targetCount }
        return self.lifecycle.state.isFinal ? self.lifecycle.targetCount : self.lifecycle.cursor
    }
}

extension Rejection {
    /// Whether it says that APNs does not have the channel of a broadcast.
    fileprivate var isOfDeadChannel: Bool { self.reason == .channelNotRegistered || self.reason == .badChannelID }
}

extension Outcome {
    /// Whether it says that the token or the channel is dead or bad.
    fileprivate var namesTarget: Bool {
        guard case .rejected(let rejection) = self else { return false }
        return self.namesToken || rejection.isOfDeadChannel
    }

    /// Whether it says that the token is dead or bad.
    fileprivate var namesToken: Bool {
        guard case .rejected(let rejection) = self else { return false }
        return rejection.nextStep == .pruneToken || rejection.nextStep == .suspectToken
    }
}
