// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// The notifications that arrived and are kept, in the order of their arrival; those of one device are chained.
///
/// At most so many are kept for one device and in all, and so much memory is taken by what they carry; beyond, the
/// oldest go.
struct NotificationLog: Sendable {
    /// How many are kept for one device.
    var deviceLimit: Int
    /// How many are kept in all.
    var limit: Int
    /// How much memory contents may take.
    ///
    /// Unit: bytes.
    var contentLimit: Int

    /// How many places may be gaps, besides as many as are kept, before they are closed.
    private static let maximumGaps = 65_536

    private var entries = ChunkedArray<LogEntry>()
    /// The place of the oldest entry that may be kept.
    private var head = 0
    /// How many are kept.
    private(set) var count = 0

    init(deviceLimit: Int, limit: Int, contentLimit: Int = .max) {
        self.deviceLimit = max(1, deviceLimit)
        self.limit = max(1, limit)
        self.contentLimit = max(1, contentLimit)
    }

    /// How many places there are, kept or not.
    var capacity: Int { self.entries.count - self.head }

    /// What is kept, oldest first.
    var kept: [LogEntry] { (self.head..<self.entries.count).map { self.entries[$0] }.filter(\.isKept) }

    /// Adds a notification to the end of its device's.
    mutating func append(_ entry: LogEntry, devices: inout DeviceTable, contents: inout ContentTable) {
        let device = DeviceIndex(rawValue: entry.device)
        if Int(devices[device].kept) >= self.deviceLimit { self.dropOldest(of: device, &devices, &contents) }
        while self.count >= self.limit || contents.size > self.contentLimit && self.count > 0 {
            self.dropOldest(&devices, &contents)
        }
        if self.capacity > 2 * self.count + Self.maximumGaps || self.entries.count >= Int(LogEntry.none) - 1 {
            self.compact(&devices)
        }
        let place = UInt32(self.entries.count)
        self.entries.append(entry)
        self.count += 1
        let last = devices[device].last
        if last == LogEntry.none { devices[device].first = place } else { self.entries[Int(last)].next = place }
        devices[device].last = place
        devices[device].kept += 1
    }

    /// What is kept for a device, oldest first.
    func entries(of row: DeviceRow) -> [LogEntry] {
        var entries: [LogEntry] = []
        entries.reserveCapacity(Int(row.kept))
        var place = row.first
        while place != LogEntry.none {
            let entry = self.entries[Int(place)]
            entries.append(entry)
            place = entry.next
        }
        return entries
    }

    /// Forgets everything that is kept for a device.
    mutating func removeAll(of device: DeviceIndex, devices: inout DeviceTable, contents: inout ContentTable) {
        while devices[device].first != LogEntry.none { self.dropOldest(of: device, &devices, &contents) }
    }

    private mutating func dropOldest(_ devices: inout DeviceTable, _ contents: inout ContentTable) {
        while self.head < self.entries.count, !self.entries[self.head].isKept { self.head += 1 }
        guard self.head < self.entries.count else { return }
        // The oldest of all is the oldest of its device.
        self.dropOldest(of: DeviceIndex(rawValue: self.entries[self.head].device), &devices, &contents)
        self.head += 1
        self.entries.release(before: self.head)
    }

    private mutating func dropOldest(
        of device: DeviceIndex,
        _ devices: inout DeviceTable,
        _ contents: inout ContentTable
    ) {
        let place = Int(devices[device].first)
        let next = self.entries[place].next
        contents.release(self.entries[place].content)
        self.entries[place].device = -1
        devices[device].first = next
        if next == LogEntry.none { devices[device].last = LogEntry.none }
        devices[device].kept -= 1
        if devices[device].dropped < .max { devices[device].dropped += 1 }
        self.count -= 1
    }

    /// Closes the gaps that entries left which are not kept any more.
    private mutating func compact(_ devices: inout DeviceTable) {
        let (old, start) = (self.entries, self.head)
        self.entries = ChunkedArray()
        self.head = 0
        for place in start..<old.count {
            var entry = old[place]
            guard entry.isKept else { continue }
            let device = DeviceIndex(rawValue: entry.device)
            let new = UInt32(self.entries.count)
            entry.next = LogEntry.none
            self.entries.append(entry)
            if devices[device].first == UInt32(place) {
                devices[device].first = new
            } else {
                self.entries[Int(devices[device].last)].next = new
            }
            devices[device].last = new
        }
    }
}

extension NotificationLog: Codable {
    private enum CodingKeys: String, CodingKey {
        case deviceLimit, limit, contentLimit, entries
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            deviceLimit: try container.decode(Int.self, forKey: .deviceLimit),
            limit: try container.decode(Int.self, forKey: .limit),
            contentLimit: try container.decode(Int.self, forKey: .contentLimit)
        )
        self.entries = try container.decode(ChunkedArray<LogEntry>.self, forKey: .entries)
        self.count = self.entries.count
    }

    /// Writes what is kept; the places change, so that devices chain theirs anew with ``rechain(_:)``.
    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(self.deviceLimit, forKey: .deviceLimit)
        try container.encode(self.limit, forKey: .limit)
        try container.encode(self.contentLimit, forKey: .contentLimit)
        try container.encode(PackedElements(elements: self.kept), forKey: .entries)
    }

    /// Chains the entries of each device, after they were read from a document.
    ///
    /// - Throws: ``SnapshotFault`` for an entry whose device does not exist, or whose time is none.
    mutating func rechain(_ devices: inout DeviceTable) throws(SnapshotFault) {
        for index in 0..<devices.count {
            let device = DeviceIndex(rawValue: Int32(index))
            devices[device].first = LogEntry.none
            devices[device].last = LogEntry.none
            devices[device].kept = 0
        }
        for place in 0..<self.entries.count {
            let entry = self.entries[place]
            guard entry.isKept, entry.isSound, Int(entry.device) < devices.count else {
                throw SnapshotFault(path: "world.log.entries[\(place)]", rule: "a known device and a time")
            }
            let device = DeviceIndex(rawValue: entry.device)
            let last = devices[device].last
            self.entries[place].next = LogEntry.none
            if last == LogEntry.none {
                devices[device].first = UInt32(place)
            } else {
                self.entries[Int(last)].next = UInt32(place)
            }
            devices[device].last = UInt32(place)
            devices[device].kept += 1
        }
    }
}
