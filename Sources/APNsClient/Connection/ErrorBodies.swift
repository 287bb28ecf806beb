// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// The bodies of answers other than 200, as far as they have come, by the slots of their streams.
struct ErrorBodies {
    /// The most bytes of a body that are kept.
    ///
    /// Apple's are below 100.
    private static let maximumCount = 1024

    private var bodies: [Int: [UInt8]] = [:]

    /// Adds a piece of a body; what is beyond the limit is dropped.
    mutating func append(_ bytes: UnsafeRawBufferPointer, to slot: Int) {
        let room = Self.maximumCount - self.bodies[slot, default: []].count
        self.bodies[slot, default: []].append(contentsOf: bytes.prefix(max(0, room)))
    }

    /// Takes a body out; empty where nothing came.
    mutating func take(_ slot: Int) -> [UInt8] {
        guard !self.bodies.isEmpty else { return [] }
        return self.bodies.removeValue(forKey: slot) ?? []
    }
}
