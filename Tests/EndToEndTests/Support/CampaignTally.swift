// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import APNsSimulator
import ApusTesting
import Foundation
import Testing

/// What the devices of a campaign were sent.
struct CampaignTally {
    /// Everything that was sent, known when nobody sends any more.
    struct Total {
        /// How many notifications arrived more than once.
        let repeated: Int

        /// How many arrivals there were beside the first of each notification.
        let surplus: Int

        /// How often the one arrived that arrived most often.
        let most: Int
    }

    private let simulator: APNsSimulator
    private let count: Int
    private var arrivals: AsyncStream<Delivery>.Iterator

    /// What arrived before the simulator's figures began at 0 again.
    private var earlier = 0

    /// How often each notification arrived.
    private var times: [APNsID: Int] = [:]

    /// Where it arrived.
    private var devices: [APNsID: VirtualDeviceID] = [:]

    /// When each arrival was, by the simulator's clock, in their order.
    private(set) var instants: [Date] = []

    /// Counts from now on.
    init(_ simulator: APNsSimulator, devices: Int) {
        self.simulator = simulator
        self.count = devices
        self.arrivals = simulator.deliveries().makeAsyncIterator()
    }

    /// How many notifications have arrived so far as they were waited for, however often.
    var arrived: Int { self.times.count }

    /// Waits until so many notifications have arrived.
    mutating func take(_ count: Int) async {
        while self.times.count < count { guard await self.takeNext() else { return } }
    }

    /// Waits until every device has been reached.
    mutating func takeAll() async {
        await self.take(self.count)
    }

    /// Everything that arrived until now, also behind what was waited for: every process that sends has to have ended.
    mutating func total() async throws -> Total {
        // What a process wrote before its end is read while its connections are there.
        let simulator = self.simulator
        try await waitUntil { simulator.statistics.openConnections == 0 }
        let delivered = self.earlier + self.simulator.statistics.delivered
        while self.instants.count < delivered { guard await self.takeNext() else { break } }
        #expect(self.instants.count == delivered, "an arrival was not told")
        #expect(Set(self.devices.values).count == self.times.count, "a device was sent to under two ids")
        return Total(
            repeated: self.times.values.count { $0 > 1 },
            surplus: self.instants.count - self.times.count,
            most: self.times.values.max() ?? 0
        )
    }

    /// Resets the simulator, which counts from 0 then and knows no device.
    mutating func reset() {
        self.earlier += self.simulator.statistics.delivered
        self.simulator.reset()
    }

    /// Takes one arrival; answers whether there was one.
    private mutating func takeNext() async -> Bool {
        guard let arrival = await self.arrivals.next() else { return false }
        let id = arrival.notification.apnsID
        self.times[id, default: 0] += 1
        self.instants.append(arrival.notification.receivedAt)
        // A resend carries the id of the first: one id never reaches two devices.
        let device = self.devices.updateValue(arrival.device, forKey: id)
        #expect(device ?? arrival.device == arrival.device)
        return true
    }
}
