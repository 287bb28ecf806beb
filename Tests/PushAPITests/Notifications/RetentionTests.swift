// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import ApusTesting
import Foundation
import HTTPTypes
import PushAPI
import PushModel
import PushStore
import StoreTesting
import Telemetry
import Testing

@Suite("Notifications that were settled long ago", .timeLimit(.minutes(20)))
struct RetentionTests {
    private static let path = "/v1/apps/\(TestAPI.app)/notifications"

    @Test("are looked for once an hour, and are gone like those that never were", arguments: TestStoreBackend.allCases)
    func removed(on store: TestStoreBackend) async throws {
        let clock = TestClock()
        var setup = TestSetup(store: store)
        setup.clock = clock
        let time = setup.time
        try await withAPI(setup) { api async throws in
            // The service sleeps for an hour once it has removed what is old.
            func lookAgain(after seconds: TimeInterval) async throws {
                try await clock.timer(dueIn: .seconds(3600))
                time.advance(by: seconds)
                clock.advance(by: .seconds(3600))
                try await clock.timer(dueIn: .seconds(3600))
            }
            let answer = try await api.call(.post, Self.path, #"{"targets":{"tokens":["ab"]},"payload":{}}"#)
            let open = try await api.call(.post, Self.path, #"{"targets":{"tokens":["cd"]},"payload":{}}"#)
            let id = try #require(answer.json["id"]?.text)
            let delivery = FakeDelivery(store: api.store)
            let claimed = try #require(try await delivery.claim(.urgent))
            try await delivery.settle(claimed) { _, _ in .failed(.timeout) }
            let settled = try await api.store.notification(claimed.batch.notification)
            #expect(settled?.isDone == true)
            let gone = "\(Self.path)/\(claimed.batch.notification)"
            let kept = "\(Self.path)/\(id == "\(claimed.batch.notification)" ? open.json["id"]?.text ?? "" : id)"

            try await lookAgain(after: 30 * 24 * 3600)
            #expect(try await api.call(.get, gone).json["state"]?.text == "completed")
            try await lookAgain(after: 1)
            let apnsID = claimed.batch.id.apnsID(at: 0)
            for path in [gone, "\(gone)/failures", "\(Self.path)/by-apns-id/\(apnsID)"] {
                let answer = try await api.call(.get, path)
                #expect(answer.status == 404)
                #expect(answer.code == "notification_not_found")
            }
            #expect(try await api.call(.post, "\(gone):resend").code == "notification_not_found")
            // What has no outcome stays.
            #expect(try await api.call(.get, kept).json["state"]?.text == "accepted")
        }
    }

    @Test("are removed in as many steps as it takes")
    func many() async throws {
        let clock = TestClock()
        var setup = TestSetup()
        setup.clock = clock
        setup.configuration.notificationRetention = .seconds(3600)
        let registry = MetricsRegistry()
        setup.metrics = registry
        let time = setup.time
        try await withAPI(setup) { api async throws in
            try await clock.timer(dueIn: .seconds(3600))
            let delivery = FakeDelivery(store: api.store)
            // At the same time, so that they share commits.
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<400 {
                    group.addTask {
                        try await api.call(.post, Self.path, #"{"targets":{"tokens":["ab"]},"payload":{}}"#)
                    }
                }
                try await group.waitForAll()
            }
            let claimed = try await api.store.claim(
                lane: .urgent,
                limit: 400,
                worker: FakeDelivery.worker,
                leaseDuration: .seconds(60),
                now: TestTime.start
            )
            try #require(claimed.count == 400)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for batch in claimed { group.addTask { try await delivery.settle(batch) } }
                try await group.waitForAll()
            }
            time.advance(by: 3601)
            clock.advance(by: .seconds(3600))
            try await clock.timer(dueIn: .seconds(3600))
            for batch in claimed { #expect(try await api.store.notification(batch.batch.notification) == nil) }
        }
        let metrics = try PrometheusText(registry.text())
        for resource in ["notification", "batch"] {
            #expect(metrics.value("apus_store_pruned_total", ["resource": resource]) == 400)
        }
    }

    @Test("stay where they are to be kept for ever")
    func forever() async throws {
        let clock = TestClock()
        var setup = TestSetup()
        setup.clock = clock
        setup.configuration.notificationRetention = nil
        let time = setup.time
        try await withAPI(setup) { api async throws in
            let delivery = FakeDelivery(store: api.store)
            try await api.call(.post, Self.path, #"{"targets":{"tokens":["ab"]},"payload":{}}"#)
            let claimed = try #require(try await delivery.claim(.urgent))
            try await delivery.settle(claimed)
            // Only old events and answers are removed.
            try await clock.timer(dueIn: .seconds(60))
            try await clock.timer(dueIn: .seconds(600))
            time.advance(by: 3650 * 24 * 3600)
            clock.advance(by: .seconds(3600))
            try await clock.timer(dueIn: .seconds(60))
            try await clock.timer(dueIn: .seconds(600))
            #expect(try await api.store.notification(claimed.batch.notification)?.isDone == true)
        }
    }
}
