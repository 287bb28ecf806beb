// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs

/// What waits in APNs's store for devices that are like others: at most one notification each.
struct WaitingTable: Sendable {
    private var entries = ChunkedArray<LogEntry>()
    /// Places that can be used again.
    private var free: [Int32] = []

    /// What waits, in the order of places.
    var kept: [LogEntry] { (0..<self.entries.count).map { self.entries[$0] }.filter(\.isKept) }

    subscript(place: Int32) -> LogEntry { self.entries[Int(place)] }

    /// Keeps an entry; returns its place.
    mutating func add(_ entry: LogEntry) -> Int32 {
        if let place = self.free.popLast() {
            self.entries[Int(place)] = entry
            return place
        }
        self.entries.append(entry)
        return Int32(self.entries.count - 1)
    }

    mutating func remove(_ place: Int32) -> LogEntry {
        defer {
            self.entries[Int(place)].device = -1
            self.free.append(place)
        }
        return self.entries[Int(place)]
    }

    /// Whether what stands at a place waits for this device.
    func isPlace(_ place: Int32, of device: DeviceIndex) -> Bool {
        place >= 0 && Int(place) < self.entries.count && self.entries[Int(place)].device == device.rawValue
    }

    /// Holds entries against the devices for which they wait, after they were read from a document.
    func check(_ devices: DeviceTable) throws(SnapshotFault) {
        for place in 0..<self.entries.count where self.entries[place].isKept {
            let device = DeviceIndex(rawValue: self.entries[place].device)
            guard self.entries[place].isSound, devices.isValid(device), Int(devices[device].waiting) == place else {
                throw SnapshotFault(path: "world.waiting[\(place)]", rule: "a device that waits for it, and a time")
            }
        }
    }
}

extension WaitingTable: Codable {
    private enum CodingKeys: String, CodingKey {
        case entries
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.entries = try container.decode(ChunkedArray<LogEntry>.self, forKey: .entries)
        for place in 0..<self.entries.count where !self.entries[place].isKept { self.free.append(Int32(place)) }
    }
}
