// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNsSimulator

/// What has arrived at the phones of rides.
struct ActivityArrivals: Sendable {
    private var timestamps: [VirtualDeviceID: Int64] = [:]

    /// How many pushes have arrived.
    private(set) var count = 0

    /// How many of them had a `timestamp` that was not above that of the one before on the same phone.
    private(set) var late = 0

    /// How many phones were reached.
    var phones: Int { self.timestamps.count }

    /// Takes note of an arrival.
    mutating func take(_ arrival: Delivery) {
        self.count += 1
        let timestamp = Self.timestamp(arrival.notification.payload)
        let last = self.timestamps.updateValue(timestamp, forKey: arrival.device)
        if let last, last >= timestamp { self.late += 1 }
    }

    /// Reads `"timestamp":N` without reading the rest: there are very many.
    private static func timestamp(_ payload: [UInt8]) -> Int64 {
        let name = Array(#""timestamp":"#.utf8)
        var place = payload.startIndex
        while place + name.count < payload.endIndex, !payload[place...].starts(with: name) { place += 1 }
        var value: Int64 = 0
        for byte in payload.dropFirst(place + name.count) {
            guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else { break }
            value = value * 10 + Int64(byte - UInt8(ascii: "0"))
        }
        return value
    }
}
