// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs

/// The identifiers of devices by computation, so that none is stored: UUIDs that lead back to the device's place.
struct DeviceIdentities: Sendable, Codable {
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

    /// The identifier of the device at this place.
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
