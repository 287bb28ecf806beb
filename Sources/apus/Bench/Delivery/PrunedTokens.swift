// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import APNsSimulator
import Foundation
import PushModel
import PushStore

/// Which devices of a population a store holds for dead after a campaign.
struct PrunedTokens: Sendable {
    /// Devices with a token that is no good which are marked as invalid or suspect.
    private(set) var bad = 0

    /// Devices with a good token which are marked.
    private(set) var good = 0

    /// Reads every device of the population.
    init(of population: BenchPopulation, in store: any PushStore) async throws {
        let tokens = population.tokens
        let app = try AppID(validating: population.configuration.app)
        let bad = Set(try tokens.indices.filter { tokens.standing($0) != .valid }.map(population.installation))
        var cursor: DeviceCursor?
        repeat {
            let page = try await store.devices(of: app, after: cursor, limit: 1000)
            for device in page.elements where device.status != .active {
                if bad.contains(device.installation) { self.bad += 1 } else { self.good += 1 }
            }
            cursor = page.next
        } while cursor != nil
    }
}
