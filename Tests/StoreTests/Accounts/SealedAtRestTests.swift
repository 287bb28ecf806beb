// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Foundation
import PushModel
import PushStore
import SQLStore
import StoreTesting
import Testing

@Suite("Stores: device tokens and contents at rest", .timeLimit(.minutes(20)))
struct SealedAtRestTests {
    private static let campaign = Result { try CampaignFixtures.campaign(start: .at(StoreFixtures.after(3600))) }

    /// Stores a token or a content in each table that has them.
    private static func fill(_ store: any PushStore) async throws {
        try await store.addLesson(phones: [71])
        try await store.register(StoreFixtures.registration(72), now: StoreFixtures.now)
        try await store.register([StoreFixtures.registration(73)], now: StoreFixtures.now)
        _ = try await store.keep(ActivityFixtures.startToken(74, token: 74))
        let plan = try StoreFixtures.plan(targets: 2)
        try await store.accept(plan.notification, batches: plan.batches, noting: .answer(Self.record(plan)))
        try await store.append(StoreFixtures.chunk(1..<4))
        try await store.createCampaign(Self.campaign.get())
    }

    private static func record(_ plan: BatchedNotification) -> IdempotencyRecord {
        IdempotencyRecord(
            slot: ScopedIdempotencyKey(app: StoreFixtures.app, apiKey: "key", key: "a"),
            requestHash: [1],
            notification: plan.notification.id,
            answer: IdempotencyRecord.Answer(status: 202, location: nil, body: Array("answer body".utf8)),
            createdAt: StoreFixtures.now
        )
    }

    /// The tokens, and a part of each content.
    private static func values() throws -> [[UInt8]] {
        let tokens = try [0, 1, 71, 72, 73, 74].map { try StoreFixtures.token($0).bytes }
        let texts = ["寿司 🍣", #""status":"active""#, #"{"childId":"寿司"}"#, "It begins", "Hallo", "answer body"]
        return tokens + texts.map { Array($0.utf8) }
    }

    /// Reads what ``fill(_:)`` has stored.
    private static func expectAll(in store: any PushStore) async throws {
        let app = StoreFixtures.app
        for number in [72, 73] {
            let registration = try StoreFixtures.registration(number)
            let device = try await store.device(registration.installation, of: app)
            #expect(device?.token == registration.token, "device \(number)")
            let found = try await store.devices(of: app, matching: .token(registration.token))
            #expect(found.map(\.installation) == [registration.installation], "the device with token \(number)")
        }
        let phones = try await store.phones()
        #expect(phones.map(\.token) == [try StoreFixtures.token(71)], "the update token")
        let lesson = try await store.lesson()
        #expect(lesson.lifecycle.contentState?.bytes == Array(#"{"status":"active"}"#.utf8), "the content state")
        #expect(lesson.startAlert == ActivityFixtures.alert, "the alert")
        let phone = ActivityFixtures.phone(74)
        let start = try await store.pushToStartTokens(of: ActivityFixtures.type, app: app, installations: [phone])
        #expect(start[phone]?.token == (try StoreFixtures.token(74)), "the push-to-start token")
        let record = try await store.idempotencyRecord(ScopedIdempotencyKey(app: app, apiKey: "key", key: "a"))
        #expect(record?.answer.body == Array("answer body".utf8), "the stored response")
        let chunks = try await store.chunks(of: "s", app: app, after: 0, limit: 10)
        #expect(chunks == [StoreFixtures.chunk(1..<4)], "the lines of a stream")
        let campaign = try Self.campaign.get()
        #expect(try await store.status(of: campaign).campaign == campaign, "the campaign")
        let log = try await store.auditEntries(matching: AuditFilter(), after: nil, limit: 10).elements
        #expect(log.contains { "\($0.after ?? .null)".contains("Hallo") }, "the campaign in the audit log")
    }

    @Test("a sealed store has no token and no content in its files or rows", arguments: TestStoreBackend.allCases)
    func nothingPlain(kind: TestStoreBackend) async throws {
        try await SealedStage.with(kind) { stage in
            try await stage.withStore(key: stage.key) { store in
                try await Self.fill(store)
                try await Self.expectAll(in: store)
                let found = try await stage.found(Self.values())
                #expect(found == [], "what the database has in plain form")
            }
            try await stage.withStore(key: stage.key) { store in
                try await Self.expectAll(in: store)
                let claimed = try await store.claim()
                let payloads = claimed.flatMap(ActivityFixtures.payloads)
                #expect(payloads.contains { $0.contains("寿司 🍣") }, "the payload")
                let targets = claimed.flatMap { Array($0.batch.targets) }
                let expected = try [0, 1].map { try StoreFixtures.token($0) }
                #expect(Set(targets.map(\.token)).isSuperset(of: expected), "the targets")
            }
        }
    }

    @Test("a store without a data key has them in plain form", arguments: TestStoreBackend.allCases)
    func plain(kind: TestStoreBackend) async throws {
        try await SealedStage.with(kind) { stage in
            try await stage.withStore { store in
                try await Self.fill(store)
                #expect(try await store.dataKey() == nil)
                let values = try Self.values()
                let found = try await stage.found(values)
                // SQLite keeps the hexadecimal digits of nothing, so each value is found as it is.
                #expect(found.count == values.count, "\(values.filter { !found.contains($0) })")
            }
        }
    }

    @Test(
        "a sealed token still belongs to one device, the one that registered it last",
        arguments: TestStoreBackend.allCases
    )
    func oneDevice(kind: TestStoreBackend) async throws {
        try await SealedStage.with(kind) { stage in
            try await stage.withStore(key: stage.key) { store in
                try await store.addSampleApp()
                try await store.register(StoreFixtures.registration("phone", token: 1), now: StoreFixtures.now)
                try await store.register(StoreFixtures.registration("pad", token: 1), now: StoreFixtures.after(1))
                #expect(try await store.device("phone", of: StoreFixtures.app) == nil, "the former device")
                let mac = try StoreFixtures.registration("mac", token: 1)
                try await store.register([mac], now: StoreFixtures.after(2))
                let found = try await store.devices(of: StoreFixtures.app, matching: .token(mac.token))
                #expect(found.map(\.installation) == ["mac"], "the device of the token")
                let targets = [try StoreFixtures.target(1), try StoreFixtures.target(2)]
                let registered = try await store.registered(targets, of: StoreFixtures.app)
                #expect(registered == [targets[0]], "the registered targets")
                let plan = try StoreFixtures.plan(targets: 2)
                try await store.accept(plan)
                let claimed = try #require(try await store.claim().first, "the batch")
                let gone = StoreFixtures.rejection(.unregistered, inactiveSince: StoreFixtures.milliseconds(after: 60))
                let failure = Settlement.Failure(index: 1, outcome: gone)
                let settlement = Settlement(of: claimed, range: 0..<2, failures: [failure])
                _ = try await store.settle(settlement, now: StoreFixtures.after(60))
                let device = try #require(try await store.device("mac", of: StoreFixtures.app), "the device")
                #expect(device.status != .active, "the status after a 410")
                let failures = try await store.failures(of: plan.notification.id, after: nil, limit: 10).elements
                #expect(failures.map(\.target) == [try StoreFixtures.target(1)], "the failed target")
            }
        }
    }

    @Test(
        "an existing store is sealed row by row; only then its database has nothing in plain form",
        arguments: TestStoreBackend.allCases
    )
    func conversion(kind: TestStoreBackend) async throws {
        try await SealedStage.with(kind) { stage in
            try await stage.withStore { store in
                try await Self.fill(store)
                #expect(try await store.addDataKey([1], ifEmpty: true) == nil, "a data key for an empty store")
                #expect(try await store.dataKey() == nil)
            }
            try await stage.withStore(key: stage.key) { store in
                #expect(try await store.dataKey()?.isComplete == false)
                // Contents are readable in both forms while rows are sealed.
                #expect(try await store.device("device 72", of: StoreFixtures.app) != nil)
                #expect(try await store.addDataKey([2], ifEmpty: false)?.sealed == [1], "the first data key")
                var sealed: [SealableTable: Int] = [:]
                for table in SealableTable.allCases {
                    sealed[table] = try await store.sealRows(in: table) { _ in }.sealed
                }
                for table in SealableTable.allCases
                where ![.transitions, .timeline, .jobs, .topicMessages].contains(table) {
                    #expect(sealed[table, default: 0] > 0, "\(table)")
                }
                try await store.completeSealing()
                #expect(try await store.dataKey()?.isComplete == true)
                #expect(try await store.overwriteFormerBytes() == (kind == .sqlite))
                let found = try await stage.found(Self.values())
                #expect(found == [], "what the database has in plain form")
                for table in SealableTable.allCases {
                    #expect(try await store.sealRows(in: table) { _ in }.sealed == 0, "\(table) again")
                }
                try await Self.expectAll(in: store)
                let pad = try StoreFixtures.registration("pad", token: 72)
                try await store.register(pad, now: StoreFixtures.after(1))
                #expect(try await store.device("device 72", of: StoreFixtures.app) == nil, "the former device")
            }
        }
    }

    @Test("batches in both forms are claimed", arguments: TestStoreBackend.allCases)
    func mixed(kind: TestStoreBackend) async throws {
        try await SealedStage.with(kind) { stage in
            let plans = [try StoreFixtures.plan(targets: 3), try StoreFixtures.plan(targets: 2)]
            try await stage.withStore { store in
                try await store.addSampleApp()
                try await store.accept(plans[0])
            }
            try await stage.withStore(key: stage.key) { store in
                try await store.accept(plans[1])
                let claimed = try await store.claim().map(\.batch)
                #expect(Set(claimed.map(\.id)) == Set(plans.map { $0.batches[0].id }))
                for plan in plans { #expect(claimed.contains(plan.batches[0])) }
            }
        }
    }

    @Test("many rows are sealed in several transactions", arguments: TestStoreBackend.allCases)
    func manyRows(kind: TestStoreBackend) async throws {
        try await SealedStage.with(kind) { stage in
            let numbers = 0..<1203
            try await stage.withStore { store in
                try await store.addSampleApp()
                try await store.register(numbers.map { try StoreFixtures.registration($0) }, now: StoreFixtures.now)
            }
            try await stage.withStore(key: stage.key) { store in
                let result = try await store.sealRows(in: .devices) { _ in }
                #expect(result.read == numbers.count)
                #expect(result.sealed == numbers.count)
                let targets = try numbers.map { try StoreFixtures.target($0) }
                #expect(try await store.registered(targets, of: StoreFixtures.app) == Set(targets))
            }
        }
    }

    @Test("another key opens nothing; no key says so", arguments: TestStoreBackend.allCases)
    func wrongKey(kind: TestStoreBackend) async throws {
        try await SealedStage.with(kind) { stage in
            try await stage.withStore(key: stage.key) { try await Self.fill($0) }
            let other = try #require(DataKey(bytes: DataKey.generate()))
            try await stage.withStore(key: other) { store in
                try await expectError(.corrupt, "the device") {
                    try await store.device("device 72", of: StoreFixtures.app)
                }
                #expect(try await store.claim().isEmpty, "the batches")
            }
            try await stage.withStore { store in
                try await expectError(.unavailable, "the device") {
                    try await store.device("device 72", of: StoreFixtures.app)
                }
                try await expectError(.unavailable, "the data key") { try await store.openDataKey(with: .generate()) }
            }
        }
    }

    @Test("a sealed token that was damaged is set aside, and the others are read", arguments: TestStoreBackend.allCases)
    func damaged(kind: TestStoreBackend) async throws {
        try await SealedStage.with(kind) { stage in
            try await stage.withStore(key: stage.key) { store in
                try await store.addSampleApp()
                for number in 1...3 {
                    try await store.register(StoreFixtures.registration(number), now: StoreFixtures.now)
                }
                let prefix = kind == .sqlite ? "x'" : #"'\x"#
                let damage = "\(prefix)a7c15e039de87101" + String(repeating: "00", count: 60) + "'"
                try await stage.execute("UPDATE @devices SET token = \(damage) WHERE installation = 'device 2'")
                try await expectError(.corrupt, "the device") {
                    try await store.device("device 2", of: StoreFixtures.app)
                }
                let page = try await store.devices(of: StoreFixtures.app, in: nil, after: nil, limit: 10)
                #expect(page.elements.map(\.installation) == ["device 1", "device 3"], "the other devices")
                let again = try StoreFixtures.registration(2)
                try await store.register(again, now: StoreFixtures.after(1))
                let device = try await store.device("device 2", of: StoreFixtures.app)
                #expect(device?.token == again.token, "the device that registered again")
                let plan = try StoreFixtures.plan()
                try await store.accept(plan)
                try await stage.execute("UPDATE @batch_contents SET payload = \(damage)")
                #expect(try await store.claim().isEmpty, "the batch whose payload is damaged")
            }
        }
    }
}
