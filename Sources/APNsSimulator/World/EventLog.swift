// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// What has happened in the world and was not told yet: deliveries and events for those who read along.
struct EventLog: Sendable {
    /// Whether somebody reads deliveries, so that they are worth describing.
    var wantsDeliveries = false
    /// Whether somebody reads events.
    var wantsEvents = false
    private(set) var deliveries: [Delivery] = []
    private(set) var events: [SimulatorEvent] = []
    private var deliveryCount: UInt64 = 0
    private var eventCount: UInt64 = 0

    /// Nothing has happened.
    init() {}

    /// Whether there is nothing to tell.
    var isEmpty: Bool { self.deliveries.isEmpty && self.events.isEmpty }

    /// Counts a delivery; returns its place in the order.
    mutating func countDelivery() -> UInt64 {
        self.deliveryCount += 1
        return self.deliveryCount
    }

    /// Keeps a delivery to be told.
    mutating func add(_ delivery: Delivery) { self.deliveries.append(delivery) }

    /// Keeps an event to be told, with its place in the order.
    mutating func add(_ event: SimulatorEvent) {
        guard self.wantsEvents else { return }
        var event = event
        self.eventCount += 1
        event.sequence = self.eventCount
        self.events.append(event)
    }

    /// Hands over what is to be told.
    mutating func take() -> (deliveries: [Delivery], events: [SimulatorEvent]) {
        defer {
            self.deliveries.removeAll(keepingCapacity: true)
            self.events.removeAll(keepingCapacity: true)
        }
        return (self.deliveries, self.events)
    }
}
