// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
public import Foundation
import JSONSchema
public import PushModel

/// Changes of activities of one app that are planned for one instant, made before that has come: what they were made of, and
/// what is to be written then.
///
/// Nothing of it is stored and nobody is kept from anything by it. Whatever has changed by then is not carried out by this.
public struct PreparedTransitions: Sendable {
    /// How many seconds after its instant it may be carried out: what is later than that is looked at anew.
    public static let validSeconds = 1.0

    public let dueAt: Date

    /// The activities as they were read.
    let rows: [ActivityRow]

    /// The phones of these as they were read, of all that see something of it.
    let phones: [ParticipantRow]

    /// The types of those whose content changes, and what it has to obey.
    let types: Set<AttributesType>
    let schemas: [AttributesType: JSONSchema]

    /// The transitions that come to their end.
    let ended: [(activity: Int64, transition: ActivityTransition)]

    /// What was gathered, and that with what is written of it if nothing has changed.
    let gathered: ActivityRound
    let composed: ActivityRound
    let writing: ActivityWriting

    /// The numbers of the activities that it is about.
    public var activities: [Int64] { self.rows.map(\.number) }

    /// How many activities it is about.
    public var count: Int { self.rows.count }

    /// How many transitions come to their end by it.
    public var transitions: Int { self.ended.count }

    /// How many phones see something of it.
    public var phoneCount: Int { self.phones.count }

    /// How many bytes it takes in memory, about: contents and payloads as they are, the rest by what is usual.
    public let size: Int
}

extension PreparedTransitions {
    /// What an activity and a phone take beside what has its own length: as they were read and as they are written, which is
    /// there twice.
    private static let activitySize = 2000
    private static let phoneSize = 1000

    fileprivate static func size(_ rows: [ActivityRow], _ phones: [ParticipantRow], _ composed: ActivityRound) -> Int {
        func contents(_ row: ActivityRow) -> Int { row.lifecycle.contentState?.bytes.count ?? 0 }
        let read = rows.reduce(0) { $0 + contents($1) }
        let written = composed.rows.values.reduce(0) { $0 + contents($1) }
        // A batch has payloads of its own.
        let payloads = 2 * composed.payloads.reduce(0) { $0 + $1.bytes.count }
        return self.activitySize * rows.count + self.phoneSize * phones.count + read + written + payloads
    }
}

extension ActivityTables {
    /// Prepares what comes due at an instant; see ``ActivityStore/prepareTransitions(dueAt:after:limit:)``.
    package func prepareTransitions(
        dueAt instant: Date,
        after number: Int64?,
        limit: Int
    ) throws -> Page<PreparedTransitions, Int64> {
        let (rows, last) = try self.activityRows(dueAt: instant, after: number ?? 0, limit: limit)
        var prepared: [PreparedTransitions] = []
        for (_, rows) in Dictionary(grouping: rows, by: \.app).sorted(by: { $0.key < $1.key }) {
            if let part = try self.prepare(rows, dueAt: instant) { prepared.append(part) }
        }
        return Page(elements: prepared, next: last)
    }

    private func prepare(_ candidates: [ActivityRow], dueAt instant: Date) throws -> PreparedTransitions? {
        guard let first = candidates.first else { return nil }
        var round = ActivityRound(app: first.app, appID: first.appID, now: instant)
        var calendar = try ActivityCalendar(Set(candidates.map(\.number)), on: self)
        var room = ActivityLimit.participantsAtOnce
        var rows = candidates.filter { row in
            let due = calendar.due(ofActivity: row.number, by: instant)
            guard row.canBePrepared(due, dueAt: instant), row.joined <= room else { return false }
            room -= row.joined
            return true
        }
        let changing = rows.filter { row in
            calendar.due(ofActivity: row.number, by: instant).contains { $0.change.contentState != nil }
        }
        let types = Set(changing.map(\.attributesType))
        let schemas = try self.schemas(ofTypes: types, app: first.app)
        var report = TransitionReport()
        var visible: [Int64: Int] = [:]
        for row in rows {
            round.load(row)
            if let draft = round.lookAfter(row, schemas[row.attributesType], nil, &calendar, &report) {
                visible[row.number] = draft
            }
        }
        try calendar.close(over: rows.map(\.number), in: &round, on: self)
        calendar.schedule(in: &round)
        var phones = try self.participantRows(ofActivities: visible.keys.sorted())
        try round.bringUpToDate(phones, drafts: visible, on: self)
        let unsettled = round.unsettled(among: phones)
        round.leaveOut(unsettled)
        rows.removeAll { unsettled.contains($0.number) }
        phones.removeAll { unsettled.contains($0.activity) }
        guard !rows.isEmpty else { return nil }
        var composed = round
        let writing = try composed.compose()
        return PreparedTransitions(
            dueAt: instant,
            rows: rows,
            phones: phones,
            types: types,
            schemas: schemas,
            ended: calendar.ended.filter { !unsettled.contains($0.activity) },
            gathered: round,
            composed: composed,
            writing: writing,
            size: PreparedTransitions.size(rows, phones, composed)
        )
    }

    /// Carries out what was prepared; see ``ActivityStore/carryOut(_:now:)``.
    package func carryOut(
        _ prepared: PreparedTransitions,
        now: Date,
        signalling changes: inout [StoreChange]
    ) throws -> TransitionReport {
        let lateness = now.timeIntervalSince(prepared.dueAt)
        guard lateness >= 0, lateness <= PreparedTransitions.validSeconds else { return TransitionReport() }
        let kept = try self.unchanged(prepared)
        if kept.isEmpty { return TransitionReport() }
        var ended = prepared.ended
        if kept.count == prepared.rows.count {
            _ = try prepared.composed.write(prepared.writing, on: self, signalling: &changes)
        } else {
            ended.removeAll { !kept.contains($0.activity) }
            var round = prepared.gathered
            round.leaveOut(Set(prepared.rows.map(\.number)).subtracting(kept))
            _ = try round.finish(on: self, signalling: &changes)
        }
        try self.end(ended)
        let ids = Dictionary(prepared.rows.map { ($0.number, $0.id) }) { first, _ in first }
        return TransitionReport(
            entries: ended.compactMap { number, transition in
                ids[number].map { .init(app: prepared.gathered.appID, activity: $0, transition: transition) }
            }
        )
    }

    /// The numbers of the activities about which nothing has changed that what was prepared is made of.
    private func unchanged(_ prepared: PreparedTransitions) throws -> Set<Int64> {
        let schemas = try self.schemas(ofTypes: prepared.types, app: prepared.gathered.app)
        guard schemas == prepared.schemas else { return [] }
        var kept = try self.unchanged(prepared.rows)
        let phones = prepared.phones.filter { kept.contains($0.activity) }
        if phones.isEmpty { return kept }
        let same = try self.unchanged(phones)
        if same.count < phones.count {
            for phone in phones where !same.contains(phone.number) { kept.remove(phone.activity) }
        }
        return kept
    }
}

extension ActivityRow {
    /// Whether what is due of it at an instant can be made before: it has few phones, and neither ends by itself then nor has
    /// anything to be weighed against what phones were sent until then.
    fileprivate func canBePrepared(_ due: [ActivityTransition], dueAt instant: Date) -> Bool {
        guard !due.isEmpty, self.sendingOn == nil, self.namesParticipants else { return false }
        if let end = self.lifecycle.end(isPlanned: self.isPlanned), end <= instant { return false }
        return !due.contains { $0.change.budget?.policy == .refuse }
    }
}

/// What became of planning transitions.
public enum TransitionPlanning: Hashable, Sendable {
    /// They are planned; each with the time at which it is due, as far as that is known.
    case planned([ActivityTransition])

    /// None is planned: the activity is over, or would have too many.
    case refused(ActivityRefusal)
}
