// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import ApusTesting
import Foundation
import HTTPTypes
import PushModel
import PushStore
import StoreTesting
import Testing
import Work

@testable import PushAPI

@Suite("Outcomes that are announced", .timeLimit(.minutes(20)))
struct AnnouncementTests {
    private static let path = "/v1/apps/\(TestAPI.app)/notifications"

    /// A settlement that is announced, and stored when the test says so.
    private struct Settling {
        let claimed: ClaimedBatch
        let outcomes: [Outcome]
        private let gate: AsyncStream<Never>
        private let opener: AsyncStream<Never>.Continuation

        init(_ claimed: ClaimedBatch, outcomes: [Outcome]) {
            self.claimed = claimed
            self.outcomes = outcomes
            (self.gate, self.opener) = AsyncStream.makeStream()
        }

        func run(_ delivery: FakeDelivery, announcing announcements: UncommittedOutcomes) async throws {
            let settlement = FakeDelivery.settlement(of: self.claimed) { index, _ in self.outcomes[index] }
            try await announcements.announcing(settlement, of: self.claimed.batch) {
                for await _ in self.gate {}
                try await delivery.store.settle(settlement, now: TestTime.start)
            }
        }

        func letStore() { self.opener.finish() }
    }

    /// Accepts one notification to two devices, and hands the settlement of both over while it is announced.
    private static func withSettling(
        _ setup: TestSetup,
        batch isBatch: Bool = false,
        headers: HTTPFields = [:],
        _ body: @Sendable @escaping (TestAPI, Settling, _ answer: Task<Answer, any Error>) async throws -> Void
    ) async throws {
        try await withAPI(setup) { api async throws in
            let delivery = FakeDelivery(store: api.store)
            let text =
                isBatch
                ? #"{"notifications":[{"token":"ab","payload":{}},{"token":"cd","payload":{}}]}"#
                : #"{"targets":{"tokens":["ab","cd"]},"payload":{}}"#
            let path = "\(Self.path)\(isBatch ? ":batch" : "")?wait=true"
            let answer = Task { try await api.call(.post, path, text, headers: headers) }
            defer { answer.cancel() }
            let claimed = try #require(try await delivery.claimNext())
            let settling = Settling(claimed, outcomes: [.delivered, .rejected(Rejection(.badDeviceToken))])
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try await settling.run(delivery, announcing: setup.announcements) }
                defer { settling.letStore() }
                // A test at its time limit waits for the answer no longer.
                try await withTaskCancellationHandler {
                    try await body(api, settling, answer)
                } onCancel: {
                    answer.cancel()
                }
                settling.letStore()
                try await group.waitForAll()
            }
        }
    }

    /// A clock on which neither the limit of waiting nor that of reading ever comes.
    private static var patient: TestSetup {
        var setup = TestSetup()
        setup.clock = SelectiveClock(passing: .zero)
        return setup
    }

    @Test("answer who waits before the store has them", arguments: [false, true])
    func early(isBatch: Bool) async throws {
        try await Self.withSettling(Self.patient, batch: isBatch) { api, settling, answer in
            let answer = try await answer.value
            #expect(answer.status == 200)
            #expect(answer.json["state"]?.text == "completed")
            #expect(answer.json["counts"] == ["delivered": 1, "rejected": ["BadDeviceToken": 1], "failed": [:]])
            let outcomes = answer.json["outcomes"]?.elements ?? []
            #expect(outcomes.map { $0["state"]?.text } == ["delivered", "rejected"])
            #expect(outcomes.map { $0["token"]?.text } == ["ab", "cd"])
            let stored = try await api.store.notification(settling.claimed.batch.notification)
            #expect(stored?.remaining == 2)
        }
    }

    @Test("are what a caller then reads: reading waits until the store has them")
    func readAfterwards() async throws {
        try await Self.withSettling(Self.patient) { api, settling, answer in
            let answer = try await answer.value
            let location = "\(Self.path)/\(try #require(answer.json["id"]?.text))"
            let apnsID = try #require(answer.json["outcomes"]?.elements.last?["apnsID"]?.text)
            async let shown = api.call(.get, location)
            async let listed = api.call(.get, "\(location)/failures")
            async let outcome = api.call(.get, "\(Self.path)/by-apns-id/\(apnsID)")
            settling.letStore()
            #expect(try await shown.json["state"]?.text == "completed")
            #expect(try await listed.json["failures"]?.elements.map { $0["reason"]?.text } == ["BadDeviceToken"])
            #expect(try await outcome.json["outcome"]?["state"]?.text == "rejected")
        }
    }

    @Test("hold up a reader for a few seconds only when the store does not take them")
    func impatient() async throws {
        var setup = TestSetup()
        setup.clock = SelectiveClock(passing: .seconds(5))
        try await Self.withSettling(setup) { api, _, answer in
            let id = try #require(try await answer.value.json["id"]?.text)
            let shown = try await api.call(.get, "\(Self.path)/\(id)")
            #expect(shown.json["state"]?.text == "sending")
        }
    }

    @Test("are not enough for a request with an idempotency key, whose answer is kept with the outcomes")
    func keyed() async throws {
        let headers: HTTPFields = [HTTPField.Name("Idempotency-Key")!: "once"]
        try await Self.withSettling(Self.patient, headers: headers) { api, settling, answer in
            settling.letStore()
            #expect(try await answer.value.status == 200)
            let stored = try await api.store.notification(settling.claimed.batch.notification)
            #expect(stored?.isDone == true)
        }
    }

    @Test("are heard by one who begins to wait when they are stored already, without a look into the store")
    func late() async throws {
        let faults = StoreFaults(of: "notification(_:)")
        var setup = TestSetup()
        setup.wrap = { ProbedStore($0, failing: faults) }
        try await withAPI(setup) { api async throws in
            let delivery = FakeDelivery(store: api.store)
            let body = #"{"targets":{"tokens":["ab"]},"payload":{}}"#
            #expect(try await api.call(.post, Self.path, body).status == 202)
            let claimed = try #require(try await delivery.claimNext())
            let notification = PushModel.Notification(
                id: claimed.batch.notification,
                app: TestAPI.app,
                createdAt: TestTime.start,
                targetCount: 1,
                batchCount: 1
            )
            let announcements = UncommittedOutcomes()
            let hub = ChangeHub(settlementsOf: api.store)
            let wakes = hub.subscribe(to: notification.id)
            defer { wakes.end() }
            let listener = SettlementWaiter.Listener(for: notification, announcements, wakes: wakes)
            defer { listener.end() }
            let settlement = FakeDelivery.settlement(of: claimed) { _, _ in .delivered }
            _ = try await announcements.announcing(settlement, of: claimed.batch) {
                try await api.store.settle(settlement, now: TestTime.start)
            }
            #expect(announcements.announcement(of: notification.id) == nil)
            let waiter = SettlementWaiter(
                store: api.store,
                announcements: announcements,
                clock: ContinuousClock(),
                limit: .seconds(1),
                recheckInterval: .seconds(1),
                grace: WaitGrace()
            )
            let waited = await waiter.wait(
                for: notification.id,
                listener: listener,
                wakes: wakes,
                logger: api.logs.logger
            ) { $0.status.counts.delivered }
            guard case .done(1) = waited else {
                Issue.record("the wait was not over")
                return
            }
        }
    }
}
