// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import APNsSimulator

/// What the phones of rides were sent of what is planned.
struct TransitionTally {
    private let rides: Int
    private var arrivals: AsyncStream<Delivery>.Iterator
    private var notifications: Set<APNsID> = []
    private var finished: Set<VirtualDeviceID> = []

    /// Counts from now on.
    init(_ simulator: APNsSimulator, rides: Int) {
        self.rides = rides
        self.arrivals = simulator.deliveries().makeAsyncIterator()
    }

    /// Whether every phone was sent the last change of its ride.
    private var isComplete: Bool { self.finished.count == self.rides }

    /// Waits until so many notifications have arrived, or every phone was sent the last change: the one before that is left
    /// out where it was overtaken.
    mutating func take(_ count: Int) async {
        while self.notifications.count < count, !self.isComplete, let arrival = await self.arrivals.next() {
            self.notifications.insert(arrival.notification.apnsID)
            let payload = String(decoding: arrival.notification.payload, as: UTF8.self)
            if payload.contains(TransitionStage.last) { self.finished.insert(arrival.device) }
        }
    }

    /// Waits until every phone was sent the last change.
    mutating func takeAll() async { await self.take(.max) }
}
