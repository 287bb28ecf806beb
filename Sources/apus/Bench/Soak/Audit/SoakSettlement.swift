// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Foundation

/// Waits until nothing of what was accepted is on its way any more.
struct SoakSettlement: Sendable {
    private struct Standing: Decodable {
        struct Waiting: Decodable {
            let batches: Int
        }

        let waiting: [Waiting]
    }

    private struct Campaigns: Decodable {
        let campaigns: [CampaignAnswer]
    }

    let client: SoakClient

    /// Asks until nothing waits, or the client's time is over, which is a breach.
    func wait() async {
        var (batches, campaigns) = (-1, -1)
        while !self.client.isOver {
            guard
                let standing = await self.client.read("\(self.client.path)/delivery", as: Standing.self),
                // Older ones are long over.
                let page = await self.client.read("\(self.client.path)/campaigns?limit=50", as: Campaigns.self)
            else { break }
            let before = (batches, campaigns)
            batches = standing.waiting.reduce(0) { $0 + $1.batches }
            campaigns = page.campaigns.count { !$0.progress.isSettled }
            if batches == 0, campaigns == 0 { return }
            if before != (batches, campaigns) {
                self.client.record.say("\(batches) batches and \(campaigns) campaigns are on their way")
            }
            try? await Task.sleep(for: .seconds(2))
        }
        self.client.record.breach("it did not settle: \(batches) batches and \(campaigns) campaigns are on their way")
    }
}
