// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// The place of a device in its table.
struct DeviceIndex: Hashable, Sendable {
    let rawValue: Int32
}

/// Every virtual device, in the order in which they were booted.
struct DeviceTable: Sendable {
    private var rows: [DeviceRecord] = []
    private var indices: [VirtualDeviceID: DeviceIndex] = [:]

    subscript(index: DeviceIndex) -> DeviceRecord {
        _read { yield self.rows[Int(index.rawValue)] }
        _modify { yield &self.rows[Int(index.rawValue)] }
    }

    /// How many devices there are.
    var count: Int { self.rows.count }

    /// The device with this identifier.
    func index(of id: VirtualDeviceID) -> DeviceIndex? { self.indices[id] }

    /// Up to `limit` devices in the order of their booting, those after `id` where one is given.
    ///
    /// - Returns: `nil` if there is no device `id`.
    func page(after id: VirtualDeviceID?, limit: Int) -> Range<Int>? {
        var start = 0
        if let id {
            guard let index = self.indices[id] else { return nil }
            start = Int(index.rawValue) + 1
        }
        return start..<min(self.rows.count, start + limit)
    }

    mutating func add(_ record: DeviceRecord) -> DeviceIndex {
        let index = DeviceIndex(rawValue: Int32(self.rows.count))
        self.rows.append(record)
        self.indices[record.id] = index
        return index
    }
}
