// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Metrics
import Synchronization

/// A number that is set; setting it is one atomic store.
final class GaugeSeries: MeterHandler, RecorderHandler {
    private let bits = Atomic<UInt64>(0)

    var value: Double { Double(bitPattern: self.bits.load(ordering: .relaxed)) }

    func set(_ value: Int64) { self.set(Double(value)) }

    func set(_ value: Double) { self.bits.store(value.bitPattern, ordering: .relaxed) }

    func increment(by amount: Double) {
        var old = self.bits.load(ordering: .relaxed)
        while true {
            let new = (Double(bitPattern: old) + amount).bitPattern
            let result = self.bits.weakCompareExchange(expected: old, desired: new, ordering: .relaxed)
            if result.exchanged { return }
            old = result.original
        }
    }

    func decrement(by amount: Double) { self.increment(by: -amount) }

    // A recorder that does not aggregate shows what was recorded last.

    func record(_ value: Int64) { self.set(value) }

    func record(_ value: Double) { self.set(value) }
}
