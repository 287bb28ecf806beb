// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs

/// Stored notifications of devices without state of their own: at most one per device.
struct StoredNotificationTable: Sendable {
    private var entries = ChunkedArray<NotificationLogEntry>()
    /// Places that can be used again.
    private var free: [Int32] = []

    /// The stored notifications, in the order of their indexes.
    var kept: [NotificationLogEntry] { (0..<self.entries.count).map { self.entries[$0] }.filter(\.isKept) }

    subscript(place: Int32) -> NotificationLogEntry { self.entries[Int(place)] }

    /// Keeps an entry; returns its place.
    mutating func add(_ entry: NotificationLogEntry) -> Int32 {
        if let place = self.free.popLast() {
            self.entries[Int(place)] = entry
            return place
        }
        self.entries.append(entry)
        return Int32(self.entries.count - 1)
    }

    mutating func remove(_ place: Int32) -> NotificationLogEntry {
        defer {
            self.entries[Int(place)].device = -1
            self.free.append(place)
        }
        return self.entries[Int(place)]
    }

    /// Whether the notification at an index belongs to this device.
    func isPlace(_ place: Int32, of device: DeviceIndex) -> Bool {
        place >= 0 && Int(place) < self.entries.count && self.entries[Int(place)].device == device.rawValue
    }

    /// Checks the entries of a decoded document against their devices.
    func check(_ devices: DeviceTable) throws(SnapshotError) {
        for place in 0..<self.entries.count where self.entries[place].isKept {
            let device = DeviceIndex(rawValue: self.entries[place].device)
            guard self.entries[place].isSound, devices.isValid(device), Int(devices[device].waiting) == place else {
                throw SnapshotError(
                    path: "world.waiting[\(place)]",
                    rule: "the device of the stored notification, and a time"
                )
            }
        }
    }
}

extension StoredNotificationTable: Codable {
    private enum CodingKeys: String, CodingKey {
        case entries
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.entries = try container.decode(ChunkedArray<NotificationLogEntry>.self, forKey: .entries)
        for place in 0..<self.entries.count where !self.entries[place].isKept { self.free.append(Int32(place)) }
    }
}
