// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNsClient
import PushModel
import Synchronization

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The outages that all batches of this process share; see ``OutageTable``.
final class Outages: Sendable {
    private let table = Mutex(OutageTable())

    /// See ``OutageTable/admit(_:patience:now:)``.
    func admit(_ destinations: [APNsDestination], patience: Duration, now: Date) -> OutageTable.Admission {
        self.table.withLock { table in
            table.isEmpty ? .admitted(probes: []) : table.admit(destinations, patience: patience, now: now)
        }
    }

    /// See ``OutageTable/failed(_:isProbe:now:delay:)``.
    func failed(_ destination: APNsDestination, isProbe: Bool, now: Date, backoff: RetryBackoff) {
        self.table.withLock { table in
            table.failed(destination, isProbe: isProbe, now: now) { backoff.delay(after: $0) }
        }
    }

    /// See ``OutageTable/recovered(_:)``.
    func recovered(_ destination: APNsDestination) -> Set<BatchID> {
        self.table.withLock { $0.isEmpty ? [] : $0.recovered(destination) }
    }

    /// See ``OutageTable/park(_:for:)``.
    func park(_ batch: BatchID, for destination: APNsDestination) -> Date? {
        self.table.withLock { $0.park(batch, for: destination) }
    }

    /// See ``OutageTable/unpark(_:)``.
    func unpark(_ batch: BatchID) {
        self.table.withLock { $0.unpark(batch) }
    }

    /// See ``OutageTable/removeAllParked()``.
    func removeAllParked() -> Set<BatchID> {
        self.table.withLock { $0.removeAllParked() }
    }
}
