// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Foundation
import JSONSchema
import PushModel
import PushStore

// The inputs of decisions about activities in addition to their rows. See ``decide(_:on:at:)``.

extension SQLExecutor {
    /// Reads the instants and the scheduled transitions of activities.
    func loadPlans(
        _ snapshots: inout [ActivitySnapshot],
        where isIncluded: (Int) -> Bool = { _ in true }
    ) throws {
        let numbers = snapshots.indices.filter(isIncluded).map { snapshots[$0].row.number }.sorted()
        if numbers.isEmpty { return }
        let instants = try self.instants(ofActivities: numbers)
        var plans: [Int64: ActivityPlan] = [:]
        for number in numbers { plans[number] = ActivityPlan(instants: instants[number] ?? [:]) }
        try self.each(
            "SELECT * FROM activity_transitions WHERE activity \(each: numbers) AND state = 0 ORDER BY key"
        ) { row in
            plans[try row.int64("activity")]?.load(try ActivityTransition(stored: row))
        }
        for index in snapshots.indices { snapshots[index].plan = plans[snapshots[index].row.number] }
    }

    /// Reads the devices to which changes are sent: all, or those that one transaction can send to.
    func loadParticipants(_ snapshots: inout [ActivitySnapshot], where isSent: (Int) -> Bool) throws {
        var room = ActivityLimit.participantsAtOnce
        var places: [Int64: Int] = [:]
        var numbers: [Int64] = []
        var large: [Int] = []
        for index in snapshots.indices where isSent(index) {
            let (number, joined) = (snapshots[index].row.number, snapshots[index].row.joined)
            if joined > room || snapshots[index].row.sendingOn != nil {
                large.append(index)
            } else if joined > 0 {
                room -= joined
                places[number] = index
                numbers.append(number)
            }
        }
        // After those that fit, which would wait for all devices of a large one otherwise.
        for index in large { try self.loadNext(snapshots[index].row.joined, of: &snapshots[index], &room) }
        let devices = try numbers.isEmpty ? [] : self.participantRows(ofActivities: numbers)
        for device in devices {
            if let index = places[device.activity] { snapshots[index].participants.append(device) }
        }
        try self.loadBatches(&snapshots)
    }

    /// Reads the next devices of an activity with many, of which `left` were not read.
    func loadNext(_ left: Int, of snapshot: inout ActivitySnapshot, _ room: inout Int) throws {
        let limit = min(room, left)
        room -= limit
        snapshot.pageSize = limit
        guard limit > 0 else { return }
        let (number, place) = (snapshot.row.number, snapshot.row.sendingOn?.place ?? 0)
        snapshot.participants = try self.participantRows(ofActivity: number, after: place, limit: limit)
        let missing = limit - snapshot.participants.count
        if missing > 0 {
            snapshot.participants += try self.participantRows(ofActivity: number, after: 0, limit: missing)
        }
    }

    func loadBatches(_ snapshots: inout [ActivitySnapshot]) throws {
        var ids: Set<BatchID> = []
        for index in snapshots.indices {
            for device in snapshots[index].participants where device.participant.target != nil {
                if let batch = device.batch { ids.insert(batch) }
            }
        }
        if ids.isEmpty { return }
        let batches = try self.batchRows(ids.sorted())
        for index in snapshots.indices { snapshots[index].batches = batches }
    }

    /// The schemas of the content states of types; a corrupt type has none.
    func schemas(
        ofTypes names: Set<AttributesType>,
        of app: AppID,
        onDamage: (AttributesType) -> Void = { _ in }
    ) throws -> [AttributesType: JSONSchema] {
        let types = try readable(names.sorted(), in: "activity_types", onDamage: onDamage) {
            try self.rows("\(SQL.activityTypes(of: app)) AND name \(each: $0)").map(ActivityType.init(stored:))
        }
        let schemas = types.compactMap { type in type.contentState.map { (type.name, $0) } }
        return Dictionary(schemas) { first, _ in first }
    }

    func costs(ofActivities rows: [ActivityRow], now: Date) throws -> [Int64: ActivityBudgetUsage] {
        var costs: [Int64: ActivityBudgetUsage] = [:]
        func add(_ found: [ParticipantRow]) {
            for (number, devices) in Dictionary(grouping: found, by: \.activity) {
                costs[number] = ActivityBudgetUsage(devices.lazy.map(\.participant), now: now)
            }
        }
        let limit = ActivityLimit.participantsAtOnce
        var few: [Int64] = []
        var room = limit
        for row in rows.sorted(by: { $0.number < $1.number }) where row.joined > 0 {
            guard row.joined <= limit else {
                add(try self.participantRows(ofActivity: row.number, after: 0, limit: limit))
                continue
            }
            if row.joined > room {
                add(try self.participantRows(ofActivities: few))
                (few, room) = ([], limit)
            }
            few.append(row.number)
            room -= row.joined
        }
        if !few.isEmpty { add(try self.participantRows(ofActivities: few)) }
        return costs
    }
}
