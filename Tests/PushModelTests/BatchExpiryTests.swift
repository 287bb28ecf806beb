// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Foundation
import PushModel
import Testing

@Suite("Until when a batch is tried")
struct BatchExpiryTests {
    private let accepted = Date(timeIntervalSince1970: 1_767_225_600)
    private let day = Duration.seconds(86_400)

    /// A batch that was accepted at 1,767,225,600.
    ///
    /// - Parameters:
    ///   - kept: how many seconds later its `apns-expiration` is.
    ///   - end: how many seconds later its own end is.
    ///   - held: how long it was paused.
    private func claimed(kept: Int64?, end: Double? = nil, held: Duration = .zero) throws -> ClaimedBatch {
        let plan = try BatchedNotification(
            app: "com.example.app",
            lane: .bulk,
            headers: NotificationHeaders(
                topic: Topic("com.example.app"),
                expiration: kept.map { $0 == 0 ? .once : APNsExpiration(rawValue: 1_767_225_600 + $0) }
            ),
            payload: APNsPayload(json: "{}"),
            targets: [Target(token: try DeviceToken(bytes: [1]), environment: .sandbox)],
            expiresAt: end.map { self.accepted.addingTimeInterval($0) },
            now: self.accepted
        )
        let worker: WorkerID = "worker"
        return ClaimedBatch(batch: plan.batches[0], cursor: 0, held: held, worker: worker, leasedUntil: self.accepted)
    }

    private func seconds(_ claimed: ClaimedBatch) -> Double {
        claimed.expiry(maximumAge: self.day).timeIntervalSince(self.accepted)
    }

    @Test("it is its own end, or else its age, and never later than APNs would keep it")
    func earliest() throws {
        #expect(try self.seconds(self.claimed(kept: nil)) == 86_400)
        #expect(try self.seconds(self.claimed(kept: nil, end: 100)) == 100)
        #expect(try self.seconds(self.claimed(kept: 60)) == 60)
        #expect(try self.seconds(self.claimed(kept: 60, end: 100)) == 60)
        #expect(try self.seconds(self.claimed(kept: 100, end: 60)) == 60)
        #expect(try self.seconds(self.claimed(kept: 200_000)) == 86_400)
    }

    @Test("a pause puts off what follows from the time of sending, and not the batch's own end")
    func held() throws {
        let hour = Duration.seconds(3600)
        #expect(try self.seconds(self.claimed(kept: 60, held: hour)) == 3660)
        #expect(try self.seconds(self.claimed(kept: nil, held: hour)) == 90_000)
        #expect(try self.seconds(self.claimed(kept: 60, end: 100, held: hour)) == 100)
    }

    @Test("an end of 0, or one that had passed, asks for one attempt where the batch has no end of its own")
    func once() throws {
        for kept: Int64 in [0, -60] {
            let alone = try self.claimed(kept: kept)
            #expect(alone.isTriedOnce)
            #expect(self.seconds(alone) == 86_400)
            // As a token validation has one.
            let bounded = try self.claimed(kept: kept, end: 100)
            #expect(!bounded.isTriedOnce)
            #expect(self.seconds(bounded) == 100)
        }
        #expect(try !self.claimed(kept: 60).isTriedOnce)
        #expect(try !self.claimed(kept: nil).isTriedOnce)
    }
}
