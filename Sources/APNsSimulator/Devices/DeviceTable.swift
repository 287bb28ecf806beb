// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs

/// All virtual devices, in the order in which they were booted or first used.
struct DeviceTable: Sendable {
    private var rows = ChunkedArray<DeviceRow>()
    private var states: [DeviceRecord] = []
    private let identities: DeterministicDeviceIDs

    init(seed: UInt64) {
        self.identities = DeterministicDeviceIDs(seed: seed)
    }

    subscript(index: DeviceIndex) -> DeviceRow {
        _read { yield self.rows[Int(index.rawValue)] }
        _modify { yield &self.rows[Int(index.rawValue)] }
    }

    var count: Int { self.rows.count }

    func isValid(_ index: DeviceIndex) -> Bool { index.rawValue >= 0 && Int(index.rawValue) < self.rows.count }

    func index(of id: VirtualDeviceID) -> DeviceIndex? {
        self.identities.index(id).flatMap { self.isValid($0) ? $0 : nil }
    }

    func id(of index: DeviceIndex) -> VirtualDeviceID { self.identities.id(index) }

    /// Up to `limit` devices in order, those after `id` where one is given.
    ///
    /// - Returns: `nil` if there is no device `id`.
    func page(after id: VirtualDeviceID?, limit: Int) -> Range<Int>? {
        var start = 0
        if let id {
            guard let index = self.index(of: id) else { return nil }
            start = Int(index.rawValue) + 1
        }
        return start..<start + min(max(0, limit), self.rows.count - start)
    }

    mutating func add(_ row: DeviceRow) -> DeviceIndex {
        self.rows.append(row)
        return DeviceIndex(rawValue: Int32(self.rows.count - 1))
    }

    func hasState(_ index: DeviceIndex) -> Bool { self[index].state >= 0 }

    func state(_ index: DeviceIndex) -> DeviceRecord? {
        let place = self[index].state
        return place >= 0 ? self.states[Int(place)] : nil
    }

    mutating func setState(_ state: DeviceRecord, of index: DeviceIndex) {
        let place = self[index].state
        guard place < 0 else { return self.states[Int(place)] = state }
        self.states.append(state)
        self[index].state = Int32(self.states.count - 1)
    }

    /// Changes the state of a device that has one.
    mutating func withState<Value>(_ index: DeviceIndex, _ body: (inout DeviceRecord) -> Value) -> Value? {
        let place = self[index].state
        guard place >= 0 else { return nil }
        return body(&self.states[Int(place)])
    }
}

extension DeviceTable: Codable {
    /// Holds rows against the tables that they point into, after they were read from a document.
    func check(
        _ registrations: RegistrationTable,
        _ topics: TopicTable,
        population: Int,
        waiting: StoredNotificationTable
    ) throws(SnapshotError) {
        var owned: Set<Int32> = []
        for index in 0..<self.rows.count {
            let row = self.rows[index]
            let isKnown =
                if let number = row.origin.populationNumber {
                    number < population && row.registrations == 1
                } else {
                    row.registrations == 0 || Int(row.origin.rawValue) + Int(row.registrations) <= registrations.count
                }
            let hasOwnState = row.state < 0 || Int(row.state) < self.states.count && owned.insert(row.state).inserted
            let hasOwnPlace =
                row.waiting < 0
                || row.state < 0 && waiting.isPlace(row.waiting, of: DeviceIndex(rawValue: Int32(index)))
            guard isKnown, hasOwnState, hasOwnPlace else {
                let rule = "known registrations, and either a state or a stored notification"
                throw SnapshotError(path: "world.devices.rows[\(index)]", rule: rule)
            }
        }
        for (index, state) in self.states.enumerated() {
            guard state.isSound else {
                throw SnapshotError(path: "world.devices.states[\(index)]", rule: "counters within their range")
            }
            let contents = state.apps.flatMap { [$0.waiting?.record.content, $0.held?.content] }.compactMap { $0 }
            guard contents.allSatisfy({ $0.isSound && topics.isValid($0.topic) }) else {
                throw SnapshotError(path: "world.devices.states[\(index)].apps", rule: "payloads and known topics")
            }
            for registration in state.apps.flatMap({ $0.registrations + ($0.waiting.map { [$0.registration] } ?? []) })
            {
                let isKnown =
                    registration.populationNumber.map { $0 < population } ?? registrations.isValid(registration)
                guard isKnown else {
                    throw SnapshotError(path: "world.devices.states[\(index)].apps", rule: "known registrations")
                }
            }
        }
    }
}

/// The compact record of a device, in 32 bytes; a device with state of its own also has a ``DeviceRecord``.
struct DeviceRow: Sendable, BitwiseCopyable {
    /// The index of its oldest notification in the log.
    var first = NotificationLogEntry.none
    /// The index of its latest notification in the log.
    var last = NotificationLogEntry.none
    /// The number of its notifications in the log.
    var kept: UInt32 = 0
    /// The number of deliveries that are no longer kept.
    var dropped: UInt32 = 0
    /// The index of its state; -1 while it has the default state.
    var state: Int32 = -1
    /// The index of its stored notification; -1 for none, and always -1 with a state.
    var waiting: Int32 = -1
    /// The first of its consecutive registrations while it has the default state.
    let origin: RegistrationIndex
    /// The number of its registrations while it has the default state.
    var registrations: UInt8
    /// A number, since any byte of a document is one.
    private let production: UInt8

    init(origin: RegistrationIndex, registrations: Int, isProduction: Bool) {
        self.origin = origin
        self.registrations = UInt8(clamping: registrations)
        self.production = isProduction ? 1 : 0
    }

    var isProduction: Bool { self.production != 0 }

    /// The number of delivered notifications, kept or not.
    var arrived: UInt64 { UInt64(self.kept) + UInt64(self.dropped) }
}

/// The place of a device in its table.
struct DeviceIndex: Hashable, Sendable, Codable, BitwiseCopyable {
    let rawValue: Int32
}

/// The identifiers of devices by computation, so that none is stored: UUIDs that lead back to the device's place.
struct DeterministicDeviceIDs: Sendable, Codable {
    private let keys: [UInt64]

    init(seed: UInt64) {
        var generator = SplitMix64(seed: seed)
        self.keys = (0..<4).map { _ in generator.next() }
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        self.keys = try container.decode([UInt64].self)
        guard self.keys.count == 4 else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "expected 4 keys")
        }
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(self.keys)
    }

    func id(_ index: DeviceIndex) -> VirtualDeviceID { VirtualDeviceID(rawValue: self.uuid(index).description) }

    /// The place that an identifier names, whether there is such a device or not.
    func index(_ id: VirtualDeviceID) -> DeviceIndex? {
        guard let uuid = APNsID(canonical: id.rawValue) else { return nil }
        let place = Int32(truncatingIfNeeded: uuid.low ^ self.mask(uuid.high))
        let index = DeviceIndex(rawValue: place)
        return place >= 0 && self.uuid(index) == uuid ? index : nil
    }

    /// Version 4 of RFC 9562: the first half is random-looking, the second hides the place.
    private func uuid(_ index: DeviceIndex) -> APNsID {
        var first = SplitMix64(seed: self.keys[0] ^ UInt64(UInt32(bitPattern: index.rawValue)))
        let high = (first.next() & 0xFFFF_FFFF_FFFF_0FFF) | 0x0000_0000_0000_4000
        let mask = self.mask(high)
        let place = UInt64(UInt32(bitPattern: index.rawValue) ^ UInt32(truncatingIfNeeded: mask))
        let low = (mask & 0x3FFF_FFFF_0000_0000) | 0x8000_0000_0000_0000 | place
        return APNsID(high: high, low: low)
    }

    private func mask(_ high: UInt64) -> UInt64 {
        var generator = SplitMix64(seed: self.keys[1] ^ high)
        return generator.next()
    }
}
