// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNsClient
import Logging
import PushModel
import PushStore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// What every part of delivery works with.
struct DeliveryContext: Sendable {
    let store: any DeliveryStore
    let client: APNsClient
    let configuration: DeliveryConfiguration
    let resolver: DestinationResolver
    let clock: any Clock<Duration>
    let now: @Sendable () -> Date
    let logger: Logger
    let metrics = DeliveryMetrics()
    let outages = Outages()

    /// Gives batches back so that any worker may claim them at once; a failure leaves them to the end of their leases.
    func release(_ batches: some Sequence<BatchID>) async {
        for batch in batches {
            do {
                try await self.store.release(batch, worker: self.configuration.worker)
            } catch {
                self.logger.warning(
                    "A batch could not be released; it is claimed again when its lease lapses",
                    metadata: ["batch.id": "\(batch)", "error": "\(error)"]
                )
            }
        }
    }
}
