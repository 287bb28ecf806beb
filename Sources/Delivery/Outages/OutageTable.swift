// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNsClient
import PushModel

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Which destinations cannot be reached, when each is tried again, and which batches wait for that.
///
/// A value without a clock. While a destination is out, one batch at a time tries it; the others stay away until the
/// back-off is over or that one got through.
struct OutageTable {
    private struct Outage {
        var failures = 0
        var until: Date
        var parked: Set<BatchID> = []
    }

    /// Whether a batch may be sent.
    enum Admission: Hashable {
        /// It may; of its destinations these were out, their back-off is over, and it is the one that tries.
        case admitted(probes: Set<APNsDestination>)

        /// That destination is out.
        case refused(APNsDestination)
    }

    private var outages: [APNsDestination: Outage] = [:]

    /// Whether every destination can be reached, as far as is known.
    var isEmpty: Bool { self.outages.isEmpty }

    /// A batch is to be sent: to all of its destinations, or to none.
    ///
    /// - Parameters:
    ///   - destinations: where its targets go.
    ///   - patience: how long an attempt may take; others stay away from what it tries for that long.
    ///   - now: the time.
    /// - Returns: whether it may be.
    mutating func admit(_ destinations: [APNsDestination], patience: Duration, now: Date) -> Admission {
        let probes = destinations.filter { self.outages[$0] != nil }
        if let out = probes.first(where: { self.outages[$0].map { $0.until > now } ?? false }) { return .refused(out) }
        for probe in probes { self.outages[probe]?.until = now.advanced(by: patience / .seconds(1)) }
        return .admitted(probes: Set(probes))
    }

    /// A destination could not be reached.
    ///
    /// - Parameters:
    ///   - destination: the destination.
    ///   - isProbe: whether it was known to be out and was tried again; others that fail meanwhile count as one.
    ///   - now: the time.
    ///   - delay: how long to stay away after so many failures.
    mutating func failed(_ destination: APNsDestination, isProbe: Bool, now: Date, delay: (Int) -> Duration) {
        var outage = self.outages[destination] ?? Outage(until: now)
        if outage.failures == 0 || isProbe {
            outage.failures += 1
            outage.until = now.advanced(by: delay(outage.failures) / .seconds(1))
        }
        self.outages[destination] = outage
    }

    /// A destination answered.
    ///
    /// - Returns: the batches that waited for it.
    mutating func recovered(_ destination: APNsDestination) -> Set<BatchID> {
        self.outages.removeValue(forKey: destination)?.parked ?? []
    }

    /// A batch waits for a destination.
    ///
    /// - Returns: until when; `nil` when the destination answered meanwhile, so that the batch need not wait.
    mutating func park(_ batch: BatchID, for destination: APNsDestination) -> Date? {
        self.outages[destination]?.parked.insert(batch)
        return self.outages[destination]?.until
    }

    /// A batch was claimed, and so waits no more.
    mutating func unpark(_ batch: BatchID) {
        for destination in self.outages.keys { self.outages[destination]?.parked.remove(batch) }
    }

    /// All batches that wait; none does afterwards.
    mutating func removeAllParked() -> Set<BatchID> {
        let parked = self.outages.values.reduce(into: Set<BatchID>()) { $0.formUnion($1.parked) }
        for destination in self.outages.keys { self.outages[destination]?.parked = [] }
        return parked
    }
}
