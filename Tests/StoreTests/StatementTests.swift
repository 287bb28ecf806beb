// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Foundation
import Logging
import PushModel
import PushStore
import SQLStore
import StoreTesting
import Synchronization
import Testing

/// A change of a statement shows in the review of these files, for both databases.
@Suite("Golden files of statements", .timeLimit(.minutes(20)))
struct StatementTests {
    @Test("the shared operations execute the statements in the golden files", arguments: TestStoreBackend.allCases)
    func golden(kind: TestStoreBackend) async throws {
        try await withStore(kind) { store in
            let log = StatementLog()
            let driver = DecoratedDriver(store.sql.driver) { RecordingConnection($0, log) }
            let recorded = RecordedStore(sql: SQLDatabase(driver))
            try await Self.directory(recorded)
            try await Self.channels(recorded)
            try await Self.requests(recorded)
            try await Self.pauses(recorded, beside: store)
            try await Self.jobs(recorded)
            try await Self.streams(recorded)
            try await Self.platforms(recorded, beside: store)
            try await Self.webhooks(recorded)
            try await Self.topics(recorded, beside: store)
            try await Self.deliveries(recorded)
            try await Self.audiences(recorded, beside: store)
            try await ActivityStatements.run(recorded)
            try await Self.campaigns(recorded)
            try await Self.devices(recorded)
            try await Self.queue(recorded)
            try await Self.quarantine(recorded)
            try await Self.retention(recorded, beside: store)
            let text = log.texts.withLock { $0.sorted() }.map { "\($0);\n" }.joined(separator: "\n")
            let file = URL(filePath: #filePath).deletingLastPathComponent()
                .appending(path: "Statements/\(kind.rawValue).sql")
            if ProcessInfo.processInfo.environment["APUS_UPDATE_GENERATED"] == "1" {
                try Data(text.utf8).write(to: file)
            }
            #expect(try String(contentsOf: file, encoding: .utf8) == text, "run with APUS_UPDATE_GENERATED=1")
        }
    }

    private static func directory(_ store: RecordedStore) async throws {
        let app = StoreFixtures.app
        try await store.createApp(App(id: app, createdAt: StoreFixtures.now))
        #expect(try await store.app(app) != nil)
        #expect(try await store.apps(after: nil, limit: 1).elements.count == 1)
        let key = APIKey(
            id: "key",
            name: "worker",
            scopes: [.send],
            app: app,
            secretHash: APIKeySecret.generate().hash,
            sealedSigningSecret: [1],
            createdAt: StoreFixtures.now
        )
        try await store.createKey(key)
        try await store.markKeysUsed(["key": APIKeyUse(time: StoreFixtures.now, address: "192.0.2.1")])
        let next = key.successor(
            "next",
            secretHash: APIKeySecret.generate().hash,
            sealedSigningSecret: nil,
            createdBy: nil,
            expiresAt: nil,
            now: StoreFixtures.now
        )
        let end = StoreFixtures.after(60)
        #expect(try await store.rotateKey("key", to: next, endingAt: end, now: StoreFixtures.now) != nil)
        #expect(try await store.key("key") != nil)
        #expect(try await store.keys(after: nil, limit: 1).elements.count == 1)
        var filter = AuditFilter()
        (filter.app, filter.actor, filter.id) = (app, "none", "key")
        (filter.from, filter.until, filter.resource) = (StoreFixtures.now, end, .apiKey)
        #expect(try await store.auditEntries(matching: filter, after: nil, limit: 1).elements.isEmpty)
        #expect(try await store.pruneAuditLog(before: Date(timeIntervalSinceNow: 60), limit: 100).count > 0)
        let credential = Credential(
            id: "apns",
            app: app,
            kind: .key(keyID: "ABCDE12345", teamID: "TEAM123456"),
            environments: [.sandbox],
            secret: .sealed([1]),
            createdAt: StoreFixtures.now
        )
        try await store.addCredential(credential)
        #expect(try await store.credential("apns") == credential)
        #expect(try await store.credentials(of: app) == [credential])
        for table in SealedTable.allCases { _ = try await store.sealedValues(in: table, after: nil, limit: 1) }
        #expect(try await store.dataKey() == nil)
        #expect(try await store.addDataKey([1], ifEmpty: true)?.isComplete == true, "a store without contents")
        #expect(try await store.addDataKey([2], ifEmpty: false)?.sealed == [1], "the first data key")
        for table in SealableTable.allCases { _ = try await store.sealRows(in: table) { _ in } }
        try await store.completeSealing()
        #expect(try await store.dataKey()?.isComplete == true)
        let items: [SealedItem] = [
            .credential("apns"), .webhook("none"), .signingSecret("key"), .deliveryIdentity,
            .subscriptionUser(TopicFixtures.subscription(.url("https://example.com/")).id),
        ]
        for item in items { _ = try await store.replaceSealed(item, old: [1], new: [2]) }
        #expect(try await store.revokeKey("key", now: StoreFixtures.now))
        #expect(try await store.removeCredential("apns"))
    }

    private static func channels(_ store: RecordedStore) async throws {
        let app = StoreFixtures.app
        let draft = ChannelFixtures.draft("final")
        for _ in 1...2 { #expect(try await store.beginChannel(draft) == nil) }
        let channel = draft.made(as: ChannelFixtures.id(1))
        #expect(try await store.keep(channel))
        #expect(try await store.channel("final", of: app) == channel)
        #expect(try await store.channels(of: app, in: .sandbox) == [channel])
        guard case .begun(let deleted) = try await store.beginDeletion(ofChannel: "final", of: app) else {
            Issue.record("the channel is not being deleted")
            return
        }
        #expect(try await store.forget(deleted))
    }

    private static func requests(_ store: RecordedStore) async throws {
        let record = StoreFixtures.record("a", try StoreFixtures.plan())
        try await store.sql.write { try $0.insert(record, app: $0.lockedNumber(of: record.slot.app)) }
        try await store.setAnswer(record.answer, for: record.slot)
        #expect(try await store.idempotencyRecord(record.slot) == record)
        #expect(try await store.removeIdempotencyRecords(before: StoreFixtures.after(60), limit: 10) == 1)
    }

    private static func pauses(_ store: RecordedStore, beside queue: any PushStore) async throws {
        let plan = try StoreFixtures.plan()
        try await queue.accept(plan)
        let subject = CredentialFailure.Subject(app: StoreFixtures.app, environment: .production, pushType: .alert)
        let line = OpenCircuit.Circuit(app: StoreFixtures.app, environment: .production, credential: "apns")
        let pause = OpenCircuit(
            line: line,
            pushTypes: [.alert],
            cause: "credential",
            reason: "InvalidProviderToken",
            since: StoreFixtures.now,
            nextProbeAt: StoreFixtures.after(10)
        )
        try await store.notePause(pause)
        #expect(try await store.pauses(of: StoreFixtures.app, now: StoreFixtures.now) == [pause])
        #expect(try await store.pauses(holdingUp: plan.notification.id, now: StoreFixtures.now) == [pause])
        try await store.endPause(of: line)
        let trouble = CredentialFailure(subject: subject, cause: .failed(.noCredential))
        #expect(try await store.credentialFailed(trouble, now: StoreFixtures.now))
        #expect(try await store.credentialRecovered(subject, now: StoreFixtures.now))
        let page = try await store.events(of: StoreFixtures.app, after: nil, limit: 10, kinds: nil)
        let kinds = Set(page.events.suffix(2).map(\.kind))
        let recovery = try await store.events(of: StoreFixtures.app, after: nil, limit: 10, kinds: kinds)
        #expect(recovery.events == page.events.suffix(2))
        #expect(try await store.latestEvent(of: StoreFixtures.app) == page.next)
    }

    private static func jobs(_ store: RecordedStore) async throws {
        let (app, id, now) = (StoreFixtures.app, JobSamples.id, StoreFixtures.now)
        for _ in 1...2 { _ = try await store.putJob(id, of: app, as: JobSamples.code(), isPaused: nil, now: now) }
        #expect(try await store.job(id, of: app) != nil)
        #expect(try await store.jobs(of: app, after: nil, limit: 1).elements.count == 1)
        let leases = try await Self.leases(.code(app, [id]), in: store)
        let lease = try #require(leases.first)
        try await store.extendJobLease(lease, leaseDuration: JobSamples.lease, now: StoreFixtures.after(61))
        _ = try await store.finishJobRun(lease, as: JobRunResult(.succeeded), now: StoreFixtures.after(62))
        try await store.releaseJobRun(lease, now: StoreFixtures.after(63))
        _ = try await store.putJob("ending", of: app, as: JobSamples.ending(), isPaused: nil, now: now)
        _ = try await store.putJob("greeting", of: app, as: JobSamples.greeting(), isPaused: nil, now: now)
        for lease in try await Self.leases(.builtIn, in: store) {
            let run = try await store.carryOut(lease, leaseDuration: JobSamples.lease, now: StoreFixtures.after(61))
            #expect(run.state == .succeeded)
        }
        _ = try await store.pauseJob(id, of: app, now: now)
        _ = try await store.resumeJob(id, of: app, now: now)
        _ = try await store.runJob(id, of: app, now: now)
        #expect(try await store.jobRuns(of: id, app: app, after: nil, limit: 2).elements.count == 2)
        #expect(try await store.deleteJob(id, of: app))
    }

    private static func leases(_ scope: JobSelection, in store: RecordedStore) async throws -> [JobLease] {
        let claim = try await store.claimJobRuns(
            of: scope,
            limit: 10,
            worker: StoreFixtures.worker,
            leaseDuration: JobSamples.lease,
            now: StoreFixtures.after(60)
        )
        return claim.runs.map(\.lease)
    }

    private static func streams(_ store: RecordedStore) async throws {
        let chunks = [StoreFixtures.chunk(1..<4), StoreFixtures.chunk(4..<5)]
        for chunk in chunks { try await store.append(chunk) }
        await #expect(throws: StoreError.self) { try await store.append(chunks[1]) }
        #expect(try await store.acceptedLines(of: "s", app: StoreFixtures.app) == 4)
        #expect(try await store.chunks(of: "s", app: StoreFixtures.app, after: 0, limit: 10) == chunks)
        #expect(try await store.removeStreams(before: StoreFixtures.after(60), limit: 10).count == 1)
    }

    private static func platforms(_ store: RecordedStore, beside queue: any PushStore) async throws {
        let app = StoreFixtures.app
        let (now, later) = (StoreFixtures.now, StoreFixtures.after(60))
        let topics = Dictionary(uniqueKeysWithValues: StoredEndpointEvent.Kind.allCases.map { ($0.rawValue, "topic") })
        let application = PlatformFixtures.application("shop", attributes: topics)
        for id: CredentialID in ["credential", "next"] {
            var application = application
            application.credential = id
            _ = try await store.putApplication(application, credential: PlatformFixtures.credential(id))
        }
        #expect(try await store.application(application.name) != nil)
        #expect(try await store.applications(of: nil, after: nil, limit: 1).elements.count == 1)
        #expect(try await store.changeApplication(application.name, attributes: [:], credential: nil) != nil)
        let added = try await store.addEndpoint(PlatformFixtures.endpoint("a", token: 1), now: now)
        #expect(try await store.endpoint("a", of: application.name)?.endpoint?.target == added.device.target)
        #expect(try await store.endpoints(in: application.endpoints, after: nil, limit: 1).elements == [added.device])
        #expect(try await store.change("a", by: EndpointUpdate(token: StoreFixtures.token(2))) != nil)
        #expect(try await store.removeEndpoint("a", of: application, now: now))
        let plan = try StoreFixtures.plan()
        try await queue.accept(plan)
        let id = plan.notification.id
        try await store.sql.write { transaction in
            try transaction.insert(EndpointPublication(application: application.name, installation: "a"), of: id)
            let failure = EndpointFailure(notification: id, kind: .refused, reason: "BadTopic")
            try transaction.tell(of: failure, app: transaction.lockedNumber(of: app), now: now)
        }
        let worker = StoreFixtures.worker
        let claim = try await store.claimEndpointEvents(
            limit: 10,
            worker: worker,
            leaseDuration: .seconds(60),
            now: later
        )
        #expect(Set(claim.events.map(\.kind)) == Set(StoredEndpointEvent.Kind.allCases))
        for event in claim.events { try await store.removeEndpointEvent(event.number, worker: worker) }
        #expect(try await store.removeApplication(application.name) != nil)
    }

    private static func webhooks(_ store: RecordedStore) async throws {
        let app = StoreFixtures.app
        let webhook = try StoreFixtures.webhook()
        try await store.createWebhook(webhook)
        #expect(try await store.webhook(webhook.id) == webhook)
        #expect(try await store.webhooks(of: app) == [webhook])
        #expect(
            try await store.changeWebhook(webhook.id, [.kinds([StoreFixtures.newKind])], now: StoreFixtures.now) != nil
        )
        try await store.append([StoreFixtures.event(1)])
        #expect(try await store.claimWebhooks().count == 1)
        var settlement = StoreFixtures.settlement(StoreFixtures.failure(.beginning), keeping: .seconds(60))
        settlement.delivery = WebhookDeliveryAttempt(
            message: "message",
            time: StoreFixtures.now,
            first: .beginning,
            last: .beginning,
            count: 1,
            attempt: 1,
            response: WebhookAttemptResult(status: 500, failure: nil, excerpt: nil, duration: .seconds(1))
        )
        _ = try await store.settleWebhook(settlement, now: StoreFixtures.now)
        #expect(try await store.webhookDeliveries(of: webhook.id, limit: 1).count == 1)
        try await store.releaseWebhook(webhook.id, worker: StoreFixtures.worker)
        try await store.sql.write { try $0.moveWebhooks(ofApp: $0.lockedNumber(of: app), pastEvent: 1 << 40) }
        #expect(try await store.pruneEvents(before: StoreFixtures.after(60), keeping: 0) > 0)
        #expect(try await store.deleteWebhook(webhook.id))
    }
}

/// The operations of topics.
extension StatementTests {
    private static func topics(_ store: RecordedStore, beside devices: any PushStore) async throws {
        let (app, topic) = (StoreFixtures.app, TopicFixtures.topic)
        for isNew in [true, false] {
            let created = try await store.createTopic(
                topic,
                attributes: [:],
                tags: [:],
                for: app,
                now: StoreFixtures.now
            )
            #expect(created.isNew == isNew)
        }
        let changed = try await store.changeTopic(topic) { $0.attributes = ["a": "b"] }
        for owner in [nil, app] {
            #expect(try await store.topic(topic, of: owner) == changed)
            #expect(try await store.topics(of: owner, after: nil, limit: 1).elements.count == 1)
        }
        try await devices.addDevices(0..<1)
        let device = TopicFixtures.device(0)
        #expect(try await store.subscribe(device, policyLimit: 1, urlLimit: 1) == .created(device))
        let user = TopicFixtures.subscription(.user(app, "anna"), filter: TopicFixtures.filter("a"))
        for outcome in [SubscribeResult.created(user), .existing(user)] {
            #expect(try await store.subscribe(user, policyLimit: 1, urlLimit: 1) == outcome)
        }
        let other = TopicFixtures.subscription(.user(app, "bob"), filter: TopicFixtures.filter("b"))
        #expect(try await store.subscribe(other, policyLimit: 1, urlLimit: 1) == .tooManyPolicies)
        #expect(try await store.subscription(of: user.subscriber, to: topic) == user)
        #expect(try await store.subscription(of: device.subscriber, to: topic) == device)
        #expect(try await store.subscriptions(to: nil, of: app, after: nil, limit: 10).elements.count == 2)
        #expect(try await store.subscriptions(to: topic, of: app, after: nil, limit: 10).elements.count == 2)
        #expect(try await store.subscriptionCounts(of: topic, app: app)?.confirmed == 2)
        _ = try await store.changeSubscription(user.id, policyLimit: 1) { $0.filter = nil }
        #expect(try await store.unsubscribe(user.id) != nil)
    }

    private static func deliveries(_ store: RecordedStore) async throws {
        let (topic, now) = (TopicFixtures.topic, StoreFixtures.now)
        let url = TopicFixtures.subscription(.url("https://example.com/"), state: .pending, confirmation: [1])
        #expect(try await store.subscribe(url, policyLimit: 1, urlLimit: 1) == .created(url))
        let other = TopicFixtures.subscription(.url("https://example.org/"))
        #expect(try await store.subscribe(other, policyLimit: 1, urlLimit: 1) == .tooManyURLs)
        let confirmed = try await store.confirmSubscription(to: topic, token: [1], isAuthenticated: true)
        #expect(try await store.subscription(url.id) == confirmed)
        #expect(try await store.outline(of: topic, app: nil)?.urls.count == 1)
        try await store.enqueue(PublicationFixtures.message(1), about: url.id, to: "https://example.com/", now: now)
        for end in [TopicDeliveryResult.again(at: now), .untried, .done] {
            let deliveries = try await store.claimDeliveries(
                limit: 1,
                each: 1,
                worker: StoreFixtures.worker,
                leaseDuration: .seconds(10),
                now: now
            )
            let delivery = try #require(deliveries.first)
            try await store.settleDelivery(delivery.id, worker: StoreFixtures.worker, as: end)
        }
        let plan = try StoreFixtures.plan()
        let parts = [Publication.Part.notification(plan.notification, plan.batches)]
        let publication = Publication(parts: parts, message: PublicationFixtures.message(2), recipients: [url.id])
        #expect(try await store.publish(publication, noting: nil) == 0)
        try await store.sql.write { transaction in
            try transaction.list(.topicDelivery, "1", app: nil, as: .unreadable, now: now)
        }
        let identity = StoredSigningIdentity(certificate: "certificate", sealedKey: [1])
        #expect(try await store.replaceDeliveryIdentity(nil, with: identity) == identity)
        #expect(try await store.deliveryIdentity() == identity)
        for app in [StoreFixtures.app, nil] { #expect(try await store.deleteTopic(topic, of: app)) }
        #expect(try await !store.pruneTopics(pendingBefore: now, limit: 100))
    }
}
