// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import CommandLineSupport
import Foundation
import PushModel
import PushStore
import StoreTesting
import Testing

@testable import APNsSimulator
@testable import apus_bench

/// What a soak finds wrong, in stores that are wrong on purpose.
@Suite("The audit of a soak", .timeLimit(.minutes(20)))
struct SoakAuditTests {
    private static let now = Date(timeIntervalSince1970: 2_000_000_000)

    /// A store with two targets that were accepted, and which of them were settled and arrived.
    private struct Case: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var settled = 0..<2
        var arrived = [0, 1]
        /// How often the first one arrived once more, and under another `apns-id`.
        var again = 0
        var asOther = 0
        var acknowledged = 2
        var told: [String] = []
        /// What the second one came to.
        var failure: Outcome?
        /// What was played, and what it struck.
        var faults: [SoakFault.Kind: Int] = [:]
        var strikes: [SoakFault.Kind: Int] = [:]
        var breach: String?
        var lost = 0
        var acceptedTwice = 0
    }

    private static let cases = [
        Case(testDescription: "all is well"),
        Case(testDescription: "one came twice under its apns-id", again: 1),
        Case(testDescription: "one has no outcome", settled: 0..<1, breach: "2 accepted, 1 settled", lost: 1),
        Case(testDescription: "one did not arrive", arrived: [0], breach: "and 1 of these reached devices"),
        Case(testDescription: "one was sent twice", asOther: 1, breach: "reached device 0 as", acceptedTwice: 1),
        Case(testDescription: "more is in the store", acknowledged: 1, breach: "1 targets were", acceptedTwice: 1),
        Case(testDescription: "less is in the store", acknowledged: 3, breach: "3 targets were", lost: 1),
        Case(testDescription: "a stream was told the truth", told: ["delivered", "delivered"]),
        Case(testDescription: "a stream was told a lie", told: ["delivered", "failed"], breach: "a stream returned"),
        Case(
            testDescription: "one failed at the store",
            arrived: [0],
            failure: .failed(.storeError),
            breach: "'failed store_error'"
        ),
        Case(testDescription: "one was corrupt", arrived: [0], failure: .failed(.corrupt), breach: "'failed corrupt'"),
        Case(
            testDescription: "one had no credential",
            arrived: [0],
            failure: .failed(.noCredential),
            breach: "'failed no_credential'; the injected faults explain 0"
        ),
        Case(
            testDescription: "one had a credential that could not be read",
            arrived: [0],
            failure: .failed(.invalidCredential),
            breach: "'failed invalid_credential'"
        ),
        Case(
            testDescription: "one was rejected for the provider token",
            arrived: [0],
            failure: .rejected(Rejection(.expiredProviderToken)),
            faults: [.expiredToken: 1],
            strikes: [.expiredToken: 10],
            breach: "'rejected ExpiredProviderToken'"
        ),
        Case(
            testDescription: "one was rejected with 503, as was played",
            arrived: [0],
            failure: .rejected(Rejection(.serviceUnavailable)),
            faults: [.unavailable: 1],
            strikes: [.unavailable: 1]
        ),
        Case(
            testDescription: "one was rejected with 503, which was not played",
            arrived: [0],
            failure: .rejected(Rejection(.serviceUnavailable)),
            faults: [.unavailable: 1],
            strikes: [.tooManyRequests: 1],
            breach: "'rejected ServiceUnavailable'; the injected faults explain 0"
        ),
        Case(
            testDescription: "one was lost with its connection, and none was cut",
            arrived: [0],
            failure: .failed(.connectionLost),
            faults: [.killedDeliverer: 1],
            breach: "'failed connection_lost'"
        ),
        Case(
            testDescription: "one was lost with a connection that was cut",
            arrived: [0],
            failure: .failed(.connectionLost),
            strikes: [.droppedConnections: 1]
        ),
        Case(
            testDescription: "half had too little time",
            arrived: [0],
            failure: .failed(.expired),
            breach: "1 targets have the outcome 'failed expired'; the injected faults explain 0"
        ),
        Case(
            testDescription: "too little was delivered",
            arrived: [0],
            failure: .failed(.expired),
            breach: "1 of 2 targets were delivered"
        ),
        Case(testDescription: "more came twice than the windows had", again: 61, breach: "61 deliveries repeated"),
        Case(
            testDescription: "what a process had that was killed came twice",
            again: 61,
            faults: [.killedDeliverer: 1]
        ),
    ]

    @Test("finds what is wrong, and nothing else", arguments: cases)
    private func finds(_ wanted: Case) async throws {
        try await withTemporaryDirectory { directory in
            try await TestStoreBackend.sqlite.withStore(in: URL(fileURLWithPath: directory)) { store in
                let batch = try await Self.accept(in: store, settling: wanted.settled, failing: wanted.failure)
                let record = SoakLog()
                record.change { state in
                    state.accepted = wanted.acknowledged
                    for (kind, count) in wanted.faults { state.faults[kind.rawValue] = count }
                    for (kind, count) in wanted.strikes { state.strikes[kind.rawValue] = count }
                }
                let audit = SoakAudit(
                    configuration: SoakConfiguration(
                        seed: 1,
                        minutes: 1,
                        storeURL: nil,
                        storeRestart: nil,
                        workers: 1,
                        devices: 10
                    ),
                    arrivals: Self.arrivals(wanted, of: batch, record),
                    answers: try wanted.told.enumerated().map { index, outcome in
                        let line = #"{"type":"outcome","apnsID":"\#(batch.apnsID(at: index))","outcome":"\#(outcome)"}"#
                        let told = try JSON.decoder.decode(StreamLines.Told.self, from: Data(line.utf8))
                        return try #require(StreamLines.Answer(told))
                    },
                    record: record
                )
                let account = try await audit.run(store)
                #expect(account.lost == wanted.lost)
                #expect(account.acceptedTwice == wanted.acceptedTwice)
                #expect(account.duplicates == wanted.again)
                #expect(record.now.breaches.isEmpty == (wanted.breach == nil), "\(record.now.breaches)")
                if let breach = wanted.breach { #expect(record.now.breaches.contains { $0.contains(breach) }) }
            }
        }
    }

    /// Stores a notification to two targets, and settles those of a range as delivered, but for a failure of the second.
    private static func accept(
        in store: any PushStore,
        settling settled: Range<Int>,
        failing failure: Outcome?
    ) async throws -> BatchID {
        let app = try AppID(validating: SoakConfiguration.app)
        try await store.createApp(App(id: app, name: "soak", defaultEnvironment: .sandbox, createdAt: Self.now))
        var generator = SystemRandomNumberGenerator()
        let plan = try BatchedNotification(
            app: app,
            lane: .urgent,
            headers: NotificationHeaders(topic: try Topic(SoakConfiguration.app), pushType: .alert),
            payload: try APNsPayload(json: Array(#"{"aps":{"alert":"Hello"}}"#.utf8)),
            targets: try (0..<2).map {
                Target(token: try DeviceToken(bytes: Array(repeating: UInt8($0), count: 32)), environment: .sandbox)
            },
            now: Self.now,
            using: &generator
        )
        try await store.accept(plan.notification, batches: plan.batches, noting: nil)
        let worker = WorkerID(unchecked: "worker")
        let claimed = try await store.claim(
            lane: .urgent,
            limit: 1,
            worker: worker,
            leaseDuration: .seconds(60),
            now: Self.now
        )
        for claim in claimed {
            let failures = failure.map { [Settlement.Failure(index: 1, outcome: $0)] } ?? []
            try await store.settle(Settlement(of: claim, range: settled, failures: failures), now: Self.now)
        }
        return try #require(plan.batches.first).id
    }

    private static func arrivals(_ wanted: Case, of batch: BatchID, _ record: SoakLog) -> SoakDeliveries {
        var arrivals = SoakDeliveries()
        func take(_ index: Int, as id: APNsID) {
            let notification = ReceivedNotification(
                bundleID: SoakConfiguration.app,
                payload: Array("{}".utf8),
                apnsID: id,
                headers: [:],
                receivedAt: Self.now
            )
            let device = VirtualDeviceID(rawValue: "\(index)")
            let breach = arrivals.take(Delivery(sequence: 1, device: device, notification: notification))
            if let breach { record.breach(breach) }
        }
        for index in wanted.arrived { take(index, as: batch.apnsID(at: index)) }
        for _ in 0..<wanted.again { take(0, as: batch.apnsID(at: 0)) }
        for number in 0..<wanted.asOther { take(0, as: APNsID(high: 1, low: UInt64(number) << 14)) }
        return arrivals
    }
}
