// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import PushModel
import PushStore
import StoreTesting
import Testing

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The decisions that the stores write, without a store.
@Suite("Activities: decisions")
struct ActivityDecisionTests {
    private let now = StoreFixtures.after(60)
    private let batch = BatchID(now: StoreFixtures.now)

    @Test("a change is sent to each device that shows an earlier version")
    func change() throws {
        var snapshot = try Self.snapshot(1, devices: 3)
        snapshot.participants[2].participant.lastSentVersion = 2
        let changes = try self.combine([.change([ActivityFixtures.patch(#"{"n":1}"#)])], on: [snapshot])
        let writes = changes.writes[0]
        #expect(changes.batches.map { Array($0.batch.targets) } == [try (0..<2).map { try StoreFixtures.target($0) }])
        #expect(changes.devices == [snapshot.participants.prefix(2).map(\.number)], "who is sent to")
        #expect(writes.participants.map(\.row.participant.lastSentVersion) == [2, 2], "what they were sent")
        #expect(writes.participants.map(\.row.position) == [0, 1], "their positions")
        #expect(writes.row.lifecycle.version == 2, "the version")
        #expect(writes.entries.map(\.kind) == [.updated], "the timeline")
        #expect(writes.row.revision == snapshot.row.revision, "the revision that the writes require")
        guard case .changed(let receipt) = writes.result(0, notification: changes.notificationID) else {
            Issue.record("The change was refused.")
            return
        }
        #expect(receipt.sent == 2, "the receipt")
        #expect(receipt.notification == changes.notification?.id, "the notification of the receipt")
    }

    @Test("a refused change prevents neither those before it nor those after it")
    func refusal() throws {
        let snapshot = try Self.snapshot(1, devices: 1)
        let orders = [
            try ActivityFixtures.patch(#"{"n":1}"#),
            ActivityChange(relevanceScore: .infinity),
            try ActivityFixtures.patch(#"{"n":2}"#),
        ]
        let changes = try self.combine([.change(orders)], on: [snapshot])
        #expect(changes.writes[0].result(1, notification: nil) == .refused(.notFinite), "the second result")
        #expect(changes.writes[0].row.lifecycle.version == 3, "the version")
        #expect(changes.batches.map(\.batch.targets.count) == [1], "both changes are sent as one")
    }

    @Test("a device with a push in flight waits for it, and is not prepared", arguments: [1, 3])
    func inFlight(state: Int) throws {
        var snapshot = try Self.snapshot(1, devices: 2)
        snapshot.participants[0].batch = self.batch
        snapshot.batches[self.batch] = try BatchRow(stored: SampleRow.batch(self.batch, state: state))
        let writes = try decide(.change([ActivityFixtures.patch(#"{"n":1}"#)]), on: snapshot, at: self.now)
        let isSettled = state == 3
        #expect(writes.waiting.map(\.participant) == (isSettled ? [] : [snapshot.participants[0].number]))
        #expect(writes.canBePrepared(on: snapshot) == isSettled, "whether it can be prepared")
        let changes = try ActivityChangeSet(combining: [writes], at: self.now)
        #expect(changes.batches.map(\.batch.targets.count) == [isSettled ? 2 : 1], "how many are sent to")
    }

    @Test("a due transition is executed, and the transitions of an activity that it ends are skipped")
    func due() throws {
        var snapshot = try Self.snapshot(1, devices: 1)
        let plans = [
            ActivityFixtures.plan("over", seconds: -900, try ActivityFixtures.patch(#"{"n":1}"#, end: .immediate)),
            ActivityFixtures.plan("later", seconds: 0, try ActivityFixtures.patch(#"{"n":2}"#)),
        ]
        let instants: [InstantName: Date] = ["endsAt": StoreFixtures.after(3600)]
        snapshot.plan = ActivityPlan(instants: instants)
        for plan in plans { snapshot.plan?.load(ActivityTransition(plan, instants: instants, now: StoreFixtures.now)) }
        let instant = StoreFixtures.after(2700)
        let early = try decide(.runDue, on: snapshot, at: instant.addingTimeInterval(-1))
        #expect(early.plan?.ended.count == 0, "what ends before the instant")
        #expect(early.row.transitionDueAt == instant, "the time of the next transition")
        let writes = try decide(.runDue, on: snapshot, at: instant)
        #expect(writes.plan?.ended.map(\.state) == [.completed, .skipped], "the ends of the transitions")
        #expect(writes.row.transitionDueAt == nil, "what is left")
        #expect(writes.row.lifecycle.state == .ended, "the state")
        #expect(writes.entries.map(\.kind) == [.ended, .transitionSkipped], "the timeline")
    }

    @Test("pushes of several activities share a batch, also after a stale activity is removed")
    func combined() throws {
        let snapshots = try (1...3).map { try Self.snapshot($0, devices: 1) }
        let command = ActivityCommand.change([try ActivityFixtures.state(#"{"n":1}"#)])
        let all = try self.combine([command, command, command], on: snapshots)
        #expect(all.devices == [snapshots.map { $0.participants[0].number }], "who is sent to")
        let rest = try #require(try all.limited(to: [2, 3]), "the change set without the first activity")
        #expect(rest.devices == [snapshots.dropFirst().map { $0.participants[0].number }], "who is sent to then")
        #expect(rest.writes.map { $0.participants[0].row.position } == [0, 1], "their positions")
        #expect(rest.writes.map { $0.entries[0].sends.count } == [1, 1], "the pushes of each entry")
        #expect(rest.writes.map(\.row.entries) == [1, 1], "the entries of each timeline")
        #expect(rest.batches[0].batch.id != all.batches[0].batch.id, "the batch has a new ID")
        #expect(try all.limited(to: []) == nil, "nothing is left if all are stale")
    }

    @Test("an activity with more devices than a page is sent page by page")
    func pages() throws {
        var snapshot = try Self.snapshot(1, devices: 5)
        let devices = snapshot.participants
        snapshot.participants = Array(devices[..<2])
        snapshot.pageSize = 2
        let first = try decide(.change([ActivityFixtures.patch(#"{"n":1}"#)]), on: snapshot, at: self.now)
        #expect(first.row.sendingOn?.place == devices[1].number, "the last device")
        #expect(first.row.sendingOn?.left == 3, "how many devices are left")
        #expect(first.entries[0].pending == 3, "how many devices wait")
        var next = ActivitySnapshot(first.row)
        next.participants = Array(devices[2...])
        next.pageSize = 3
        let last = try decide(.continueSending, on: next, at: self.now)
        #expect(last.row.sendingOn == nil, "the progress at the end")
        #expect(last.participants.count == 3, "how many are sent to")
    }

    @Test("a rejected token ends the participation of its device, and no other")
    func rejected() throws {
        var snapshot = try Self.snapshot(1, devices: 2)
        let device = snapshot.participants[0]
        snapshot.participants[0].batch = self.batch
        let failure = PushFailure(
            participant: device.number,
            position: 0,
            outcome: .rejected(Rejection(status: 410, reason: .unregistered)),
            target: device.participant.target
        )
        let changes = try self.combine([.handleOutcomes(self.batch, [failure], waiting: [])], on: [snapshot])
        let states = changes.writes[0].participants.map(\.row.participant.state)
        #expect(states == [.ended(reason: "Unregistered")], "the devices that change")
        #expect(changes.writes[0].entries.filter(\.isTold).map(\.kind) == [.participantEnded], "the timeline")
        #expect(changes.writes[0].isChanged, "whether the activity gets a new revision")
    }

    private func combine(_ commands: [ActivityCommand], on snapshots: [ActivitySnapshot]) throws -> ActivityChangeSet {
        let writes = try zip(commands, snapshots).map { try decide($0, on: $1, at: self.now) }
        return try ActivityChangeSet(combining: writes, at: self.now)
    }

    /// A lesson with devices that show its first version.
    private static func snapshot(_ number: Int, devices: Int) throws -> ActivitySnapshot {
        let activity = try ActivityFixtures.activity(ActivityID(unchecked: "lesson \(number)"))
        let empty = ActivitySnapshot(ActivityRow(activity, number: Int64(number), app: 1))
        var writes = ActivityWrites(empty, at: StoreFixtures.now)
        for device in 0..<devices { try writes.decide(.receiveToken(ActivityFixtures.upload(device)), on: empty) }
        var snapshot = ActivitySnapshot(writes.row)
        snapshot.participants = writes.participants.map(\.row)
        return snapshot
    }
}

/// A row of a table, as a database returns it.
private struct SampleRow: StoredColumns {
    var integers: [String: Int64] = [:]
    var blobs: [String: [UInt8]] = [:]

    /// A batch of two targets: 1 is a leased batch without outcomes, and 3 a settled batch.
    static func batch(_ id: BatchID, state: Int) -> StoredRow {
        let integers: [String: Int64] = [
            "state": Int64(state), "next_target": state == 3 ? 2 : 0, "target_count": 2, "setbacks": 0, "held": 0,
            "interrupted": 0, "claimable_at": 0, "ordinal": 0, "app": 1, "lane": 0, "created_at": 0, "is_activity": 1,
            "delivered": 0,
        ]
        return StoredRow(
            SampleRow(integers: integers, blobs: ["id": id.value.stored, "notification": id.value.stored])
        )
    }

    func integer(_ column: String) -> Int64? { self.integers[column] }

    func text(_ column: String) -> String? { column == "worker" ? "worker" : nil }

    func bytes(_ column: String) -> [UInt8]? { self.blobs[column] }
}
