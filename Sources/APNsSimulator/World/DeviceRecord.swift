// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import DequeModule

/// A virtual device as the world keeps it.
struct DeviceRecord: Sendable {
    /// A token that the device holds.
    struct Installation: Sendable {
        var topic: TopicIndex
        var registration: RegistrationIndex
        var token: TokenKey
    }

    let id: VirtualDeviceID
    let environment: APNsEnvironment
    var isOnline = true
    var installations: [Installation] = []
    /// What arrived, oldest first, as many as are kept.
    private(set) var inbox: Deque<NotificationRecord> = []
    /// How many arrived and are no longer kept.
    private(set) var dropped = 0
    /// The one notification for each app that waits for the device to come online.
    private(set) var waiting: [String: NotificationRecord] = [:]

    init(id: VirtualDeviceID, environment: APNsEnvironment) {
        self.id = id
        self.environment = environment
    }

    /// Takes in a notification and forgets the oldest beyond `limit`.
    mutating func receive(_ notification: NotificationRecord, limit: Int) {
        self.inbox.append(notification)
        while self.inbox.count > limit {
            self.inbox.removeFirst()
            self.dropped += 1
        }
    }

    /// Keeps a notification until the device is online.
    ///
    /// Returns whether an older one of the app had to go.
    mutating func store(_ notification: NotificationRecord, bundleID: String) -> Bool {
        self.waiting.updateValue(notification, forKey: bundleID) != nil
    }

    /// Hands over what waited for one app, or for all of them in the order in which they were accepted.
    mutating func takeWaiting(bundleID: String? = nil) -> [NotificationRecord] {
        if let bundleID { return self.waiting.removeValue(forKey: bundleID).map { [$0] } ?? [] }
        defer { self.waiting.removeAll() }
        return self.waiting.values.sorted { $0.receivedAt < $1.receivedAt }
    }
}
