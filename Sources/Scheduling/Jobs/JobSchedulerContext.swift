// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Logging
import PushModel
import PushStore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// What every turn works with.
struct JobSchedulerContext: Sendable {
    let store: any JobStore & StoreSignals
    let scope: JobScope
    let handler: any JobHandler
    let configuration: JobSchedulerConfiguration
    let clock: any Clock<Duration>
    let now: @Sendable () -> Date
    let metrics: JobMetrics
    let logger: Logger

    /// Makes the runs that are due, and leases some.
    ///
    /// - Returns: what was leased, and when there is next something to do as far as that is known.
    func claim(_ limit: Int) async -> (claim: JobClaim, next: Date?) {
        do {
            let claim = try await self.store.claimJobRuns(
                of: self.scope,
                limit: max(0, limit),
                worker: self.configuration.worker,
                leaseDuration: self.configuration.leaseDuration,
                now: self.now()
            )
            return (claim, try await self.store.nextJobTime(of: self.scope))
        } catch {
            // The next signal or poll tries again.
            self.logger.error("No runs of jobs can be claimed", metadata: ["error": "\(error)"])
            return (JobClaim(), nil)
        }
    }
}
