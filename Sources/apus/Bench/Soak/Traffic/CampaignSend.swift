// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Foundation

/// A campaign to every device, throttled.
struct CampaignSend: Sendable {
    let number: Int
    let configuration: SoakConfiguration

    private var name: String { "campaign \(self.number)" }

    private struct Page: Decodable {
        let campaigns: [CampaignAnswer]
    }

    /// Creates it, and waits until it is planned to its end.
    func run(_ client: SoakClient) async {
        guard let id = await self.create(client) else {
            if client.isOver { client.record.breach("\(self.name) was never accepted") }
            return
        }
        while !client.isOver {
            guard let campaign = await client.read("\(client.path)/campaigns/\(id)", as: CampaignAnswer.self) else {
                return
            }
            if campaign.progress.isSettled || campaign.progress.planned >= self.configuration.audience { return }
            try? await Task.sleep(for: .milliseconds(500))
        }
    }

    /// There is no key for the creation of a campaign: whoever had no answer looks whether there is one of its name.
    private func create(_ client: SoakClient) async -> String? {
        let end = Date().addingTimeInterval(Double(2 * self.configuration.timeToLive))
        let payload = #"{"aps":{"alert":"\#(self.name)"}}"#
        let body = #"""
            {"name":"\#(self.name)","audience":{"all":true},"message":{"default":{"payload":\#(payload)}},
            "throttle":\#(self.configuration.throttle),"expiresAt":"\#(end.formatted(.iso8601))"}
            """#
        while !client.isOver {
            let answer = await client.attempt(.post, "\(client.path)/campaigns", body: Data(body.utf8))
            if let answer, answer.status == 201 {
                return (try? JSON.decoder.decode(CampaignAnswer.self, from: answer.body))?.id
            }
            if let answer, (400..<500).contains(answer.status) {
                client.record.breach("\(self.name): \(String(decoding: answer.body.prefix(300), as: UTF8.self))")
                return nil
            }
            await client.pauseBeforeRetry()
            let page = await client.read("\(client.path)/campaigns?limit=20", as: Page.self)
            if let found = page?.campaigns.first(where: { $0.name == self.name }) { return found.id }
        }
        return nil
    }
}
