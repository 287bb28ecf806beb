// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import APNsSimulator
import Foundation
import Testing

/// What the devices of a campaign were sent.
struct CampaignTally {
    private let count: Int
    private var arrivals: AsyncStream<Delivery>.Iterator

    /// How often each notification arrived.
    private(set) var times: [APNsID: Int] = [:]

    /// Where it arrived.
    private(set) var devices: [APNsID: VirtualDeviceID] = [:]

    /// When each arrival was, by the simulator's clock, in their order.
    private(set) var instants: [Date] = []

    /// Counts from now on.
    init(_ simulator: APNsSimulator, devices: Int) {
        self.count = devices
        self.arrivals = simulator.deliveries().makeAsyncIterator()
    }

    /// How many notifications arrived more than once.
    var repeated: Int { self.times.values.count { $0 > 1 } }

    /// Waits until so many notifications have arrived.
    mutating func take(_ count: Int) async {
        while self.times.count < count, let arrival = await self.arrivals.next() {
            let id = arrival.notification.apnsID
            self.times[id, default: 0] += 1
            self.instants.append(arrival.notification.receivedAt)
            // A resend carries the id of the first: one id never reaches two devices.
            let device = self.devices.updateValue(arrival.device, forKey: id)
            #expect(device ?? arrival.device == arrival.device)
        }
    }

    /// Waits until every device has been reached.
    mutating func takeAll() async {
        await self.take(self.count)
    }
}
