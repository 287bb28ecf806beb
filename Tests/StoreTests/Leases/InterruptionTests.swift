// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import ApusTesting
import PushModel
import PushStore
import StoreTesting
import Testing

@Suite("Stores: interruptions", .timeLimit(.minutes(20)))
struct InterruptionTests {
    /// A store that stays, and the database on which workers beside it are terminated.
    private struct Place {
        let database: WorkerDatabase
        let store: any PushStore

        static func make(_ store: TestStoreBackend, _ body: (Place) async throws -> Void) async throws {
            try await WorkerDatabase.make(store) { database in
                try await database.open("host/1/a") { survivor in
                    try await body(Place(database: database, store: survivor.store))
                }
            }
        }

        /// Terminates a worker that does something first, and ends its leases.
        func crash(after seconds: Double, _ work: (any PushStore, WorkerID) async throws -> Void) async throws {
            let id = WorkerID(unchecked: "host/2/\(seconds)")
            try await self.database.open(id) { worker in
                // A process has several loops.
                try await work(worker.store, WorkerID(unchecked: "\(id)/1"))
                try await worker.terminate()
            }
            // Does nothing before the lock is free; then it removes the lock.
            try await waitUntil {
                _ = try await self.store.expireLeases(of: id, now: StoreFixtures.after(seconds))
                return try await self.database.lockCount() == 1
            }
        }

        /// Terminates a worker that has claimed all items of a kind; returns their IDs.
        func crash(_ kind: WorkKind, after seconds: Double) async throws -> Set<String> {
            var items: Set<String> = []
            try await self.crash(after: seconds) { store, worker in
                items = Set(try await kind.claim(on: store, by: worker, after: seconds))
            }
            return items
        }

        func claim(_ kind: WorkKind, after seconds: Double) async throws -> Set<String> {
            Set(try await kind.claim(on: self.store, after: seconds))
        }

        func tryNextSuspect(after seconds: Double) async throws {
            try await self.store.tryNextSuspect(now: StoreFixtures.after(seconds))
        }

        func listed() async throws -> [QuarantinedItem] {
            try await self.store.quarantinedItems(of: nil, kind: nil, after: nil, limit: 1000).elements
        }

        /// Adds items, and has each end three processes.
        func quarantine(_ kind: WorkKind, count: Int = 1) async throws -> [QuarantinedItem] {
            try await kind.add(count, to: self.store)
            for seconds in [60.0, 70] {
                let claimed = try await self.crash(kind, after: seconds)
                #expect(claimed.count == count, "the items that \(seconds) s later ended a process")
            }
            for number in 1...count {
                let seconds = Double(100 * number)
                try await self.tryNextSuspect(after: seconds)
                let claimed = try await self.crash(kind, after: seconds + 1)
                #expect(claimed.count == 1, "the items that are tried")
            }
            let items = try await self.listed()
            try #require(items.count == count, "the items that are quarantined")
            return items
        }
    }

    @Test(
        "an item that ends three processes is quarantined, and the one that they had beside it is not",
        arguments: TestStoreBackend.allCases,
        WorkKind.countedByLeases
    )
    func poison(store: TestStoreBackend, kind: WorkKind) async throws {
        try await Place.make(store) { place in
            try await kind.add(2, to: place.store)
            let items = try await place.crash(kind, after: 60)
            try #require(items.count == 2, "the items")
            let second = try await place.crash(kind, after: 70)
            #expect(second == items, "the items after one interruption")
            let waiting = try await place.claim(kind, after: 71)
            #expect(waiting == [], "the items after two interruptions")

            try await place.tryNextSuspect(after: 80)
            let tried = try await place.claim(kind, after: 81)
            #expect(tried.count == 1, "the suspects that are tried")
            try await place.tryNextSuspect(after: 90)
            let beside = try await place.claim(kind, after: 91)
            #expect(beside == [], "the suspects beside the one that is tried")
            // The first one is over after a minute without a crash, so the other one is tried.
            try await place.tryNextSuspect(after: 141)
            let third = try await place.crash(kind, after: 142)
            #expect(third == items, "the items after the first suspect")

            let poison = try #require(items.subtracting(tried).first)
            let claimable = try await place.claim(kind, after: 143)
            #expect(claimable == tried, "the items beside the one that is quarantined")
            let listed = try await place.listed()
            let entry = try #require(listed.first, "the entry")
            #expect(listed.count == 1, "the entries")
            #expect(entry.item == poison, "the item")
            #expect(entry.kind == kind, "the kind")
            #expect(entry.app == (kind == .topicDelivery ? nil : StoreFixtures.app), "the app")
            #expect(entry.reason == .interrupted, "the reason")
            #expect(entry.time == StoreFixtures.after(142), "the time")
            let read = try await place.store.quarantinedItem(entry.number)
            #expect(read == entry, "the entry by its number")

            let repeated = try await place.store.repeatQuarantinedItem(entry.number, now: StoreFixtures.after(150))
            #expect(repeated == entry, "the item that is repeated")
            let again = try await place.store.repeatQuarantinedItem(entry.number, now: StoreFixtures.after(150))
            #expect(again == nil, "the item that is repeated twice")
            #expect(try await place.listed() == [], "the entries after the repetition")
            // A run has failed, and another one takes its place.
            if kind == .jobRun { return try await Self.expectFailure(of: poison, on: place.store) }
            for seconds in [160.0, 161] {
                let items = try await place.crash(kind, after: seconds)
                #expect(items.contains(poison), "the repeated item after \(seconds) s")
            }
            #expect(try await place.listed() == [], "the entries after two more crashes")
        }
    }

    private static func expectFailure(of run: String, on store: any PushStore) async throws {
        let runs = try await store.history("job-1") + store.history("job-2")
        let quarantined = try #require(runs.first { "\($0.id)" == run }, "the run")
        #expect(quarantined.state == .failed, "the state")
        #expect(quarantined.message?.contains("uarantined") == true, "the message")
    }

    @Test("a suspect that was released makes way for the next one", arguments: TestStoreBackend.allCases)
    func released(store: TestStoreBackend) async throws {
        try await Place.make(store) { place in
            try await WorkKind.webhook.add(2, to: place.store)
            let items = try await place.crash(.webhook, after: 60)
            _ = try await place.crash(.webhook, after: 70)
            try await place.tryNextSuspect(after: 80)
            let tried = try await place.store.claimWebhooks(now: StoreFixtures.after(81))
            try #require(tried.count == 1, "the suspects that are tried")
            try await place.store.releaseWebhook(tried[0].id, worker: StoreFixtures.worker)
            try await place.tryNextSuspect(after: 82)
            let claimed = try await place.claim(.webhook, after: 83)
            #expect(claimed == items, "the items after the release")
            #expect(try await place.listed() == [], "the entries")
        }
    }

    @Test("interruptions that are older than an hour do not count", arguments: TestStoreBackend.allCases)
    func old(store: TestStoreBackend) async throws {
        try await Place.make(store) { place in
            try await WorkKind.webhook.add(1, to: place.store)
            for seconds in [60, 3661, 3670.0] {
                let claimed = try await place.crash(.webhook, after: seconds)
                #expect(claimed.count == 1, "the items after \(seconds) s")
            }
            #expect(try await place.listed() == [], "the entries")
            let waiting = try await place.claim(.webhook, after: 3671)
            #expect(waiting == [], "the items after two interruptions within an hour")
        }
    }

    @Test(
        "a quarantined item that is removed is neither listed nor claimed",
        arguments: TestStoreBackend.allCases,
        WorkKind.countedByLeases
    )
    func removed(store: TestStoreBackend, kind: WorkKind) async throws {
        try await Place.make(store) { place in
            let entry = try #require(try await place.quarantine(kind).first)
            let removed = try await place.store.removeQuarantinedItem(entry.number, now: StoreFixtures.after(200))
            #expect(removed == entry, "the item that is removed")
            let again = try await place.store.removeQuarantinedItem(entry.number, now: StoreFixtures.after(200))
            #expect(again == nil, "the item that is removed twice")
            #expect(try await place.listed() == [], "the entries")
            // A webhook is paused when it is reported. This one is not.
            let claimed = try await place.claim(kind, after: 300)
            #expect(claimed == (kind == .webhook ? [entry.item] : []), "the items that can be claimed")
        }
    }

    @Test("the deletion of an app removes its quarantined items", arguments: TestStoreBackend.allCases)
    func deletedApp(store: TestStoreBackend) async throws {
        try await Place.make(store) { place in
            let entry = try #require(try await place.quarantine(.campaign).first)
            #expect(try await place.store.deleteApp(StoreFixtures.app), "the deletion")
            #expect(try await place.listed() == [], "the entries")
            let read = try await place.store.quarantinedItem(entry.number)
            #expect(read == nil, "the entry by its number")
        }
    }

    @Test("the list comes in pages, of one app or kind, the latest entry first", arguments: TestStoreBackend.allCases)
    func pages(store: TestStoreBackend) async throws {
        try await Place.make(store) { place in
            let items = try await place.quarantine(.webhook, count: 3)
            #expect(items.map(\.number) == items.map(\.number).sorted(by: >), "the order")
            let store = place.store
            let first = try await store.quarantinedItems(of: StoreFixtures.app, kind: .webhook, after: nil, limit: 2)
            #expect(first.elements == Array(items[..<2]), "the first page")
            let cursor = try #require(first.next, "the cursor")
            let last = try await store.quarantinedItems(of: StoreFixtures.app, kind: .webhook, after: cursor, limit: 2)
            #expect(last.elements == Array(items[2...]), "the last page")
            #expect(last.next == nil, "the cursor of the last page")
            let others = try await store.quarantinedItems(of: StoreFixtures.otherApp, kind: nil, after: nil, limit: 2)
            #expect(others.elements == [], "the items of another app")
            let campaigns = try await store.quarantinedItems(of: nil, kind: .campaign, after: nil, limit: 2)
            #expect(campaigns.elements == [], "the items of another kind")
        }
    }

    @Test(
        "an activity that ends three processes is quarantined, and the one that was due beside it is not",
        arguments: TestStoreBackend.allCases
    )
    func activity(store: TestStoreBackend) async throws {
        try await Place.make(store) { place in
            try await WorkKind.activity.add(2, to: place.store)
            for (interruptions, seconds) in [60.0, 70].enumerated() {
                let due = try await place.store.dueActivities(limit: 10, now: StoreFixtures.after(seconds))
                #expect(due.map(\.interruptions) == [interruptions, interruptions], "the interruptions before")
                let claimed = try await place.crash(.activity, after: seconds)
                #expect(claimed.count == 2, "the activities that are due")
            }
            // From then on a scheduler decides them one by one.
            let due = try await place.store.dueActivities(limit: 10, now: StoreFixtures.after(80))
            try #require(due.map(\.interruptions) == [2, 2], "the interruptions")
            try await place.crash(after: 80) { store, _ in try await store.note([due[0].number]) }
            let left = try await place.store.dueActivities(limit: 10, now: StoreFixtures.after(81))
            #expect(left.map(\.id) == [due[1].id], "the activities that are still due")
            try await place.store.forgetInterruptions(ofActivities: [due[1].number])
            let forgotten = try await place.store.dueActivities(limit: 10, now: StoreFixtures.after(81))
            #expect(forgotten.map(\.interruptions) == [0], "the interruptions of an activity that was decided")

            let entry = try #require(try await place.listed().first, "the entry")
            #expect(entry.kind == .activity, "the kind")
            #expect(entry.item == due[0].id.rawValue, "the item")
            #expect(entry.app == StoreFixtures.app, "the app")
            let timeline = try await place.store.story(due[0].id)
            #expect(timeline.last?.detail?.contains("three processes") == true, "the timeline")
            _ = try await place.store.repeatQuarantinedItem(entry.number, now: StoreFixtures.after(90))
            let repeated = try await place.store.dueActivities(limit: 10, now: StoreFixtures.after(90))
            #expect(Set(repeated.map(\.id)) == Set(due.map(\.id)), "the activities after the repetition")
            #expect(repeated.map(\.interruptions) == [0, 0], "the interruptions after the repetition")
        }
    }
}
