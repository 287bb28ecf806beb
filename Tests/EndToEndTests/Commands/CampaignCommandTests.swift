// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import APNsSimulator
import Foundation
import Testing

@testable import apus

@Suite("apus campaign", .timeLimit(.minutes(20)))
struct CampaignCommandTests {
    private static let app = ServerInTest.app

    @Test("creates a campaign, watches it to its end, and every device of the audience has it once")
    func whole() async throws {
        try await ServerInTest.with(roles: "delivery,scheduling") { simulator, server in
            var devices: [VirtualDevice] = []
            for number in 0..<3 {
                let device = try simulator.bootDevice(apps: [Self.app])
                let token = try #require(device.token(Self.app))
                let put = try await server.apus(
                    "devices",
                    "put",
                    Self.app,
                    "phone-\(number)",
                    "--token",
                    token.hex,
                    "--tag",
                    "number=\(number)",
                    "--topic",
                    number < 2 ? "news" : "none"
                )
                #expect(put.status == 0, "\(put.errors)")
                devices.append(device)
            }
            let run = try await server.apus(
                "campaign",
                "create",
                Self.app,
                "--topic",
                "news",
                "--title",
                "Number {{tags.number}}",
                "--watch"
            )
            #expect(run.status == 0, "\(run.errors)")
            #expect(run.lines.first?.hasSuffix(": scheduled.") == true)
            #expect(run.lines.last == "completed: 2 of 2, 2 delivered")
            let texts = devices.map { simulator.device($0.id)?.notifications.count }
            #expect(texts == [1, 1, 0])
            let list = try await server.apus("campaign", "list", Self.app)
            #expect(list.lines.count == 2)
        }
    }

    @Test("counts an audience, and sends a message to some before anybody else gets it")
    func tested() async throws {
        try await ServerInTest.with(roles: "delivery,scheduling") { simulator, server in
            var devices: [VirtualDevice] = []
            for (name, user) in [("phone-0", "anna"), ("phone-1", "berta")] {
                let device = try simulator.bootDevice(apps: [Self.app])
                let token = try #require(device.token(Self.app)).hex
                let put = try await server.apus("devices", "put", Self.app, name, "--token", token, "--user", user)
                #expect(put.status == 0, "\(put.errors)")
                devices.append(device)
            }
            #expect(try await server.apus("campaign", "estimate", Self.app).lines == ["2 devices."])
            let audience = ["campaign", "estimate", Self.app, "--audience", #"{"users":["anna"]}"#]
            #expect(try await server.apus(audience).lines == ["1 device."])
            let bad = try await server.apus("campaign", "estimate", Self.app, "--audience", "{", "--json")
            #expect(bad.failure?.code == "bad_json")

            let create = ["campaign", "create", Self.app, "--title", "Hello", "--paused", "--json"]
            let named = create + ["--idempotency-key", "sale"]
            let campaign: CampaignResponse = try await server.apus(named).lastLine()
            #expect(campaign.progress.state == "paused")
            #expect(try await server.apus(named).lastLine(as: CampaignResponse.self).id == campaign.id)

            let arrivals = simulator.deliveries()
            let command = ["campaign", "test", Self.app, campaign.id]
            let test = try await server.apus(command + ["--user", "anna", "--user", "nobody"])
            #expect(test.status == 0, "\(test.errors)")
            #expect(test.lines.first == "Skipped 1 without a valid device: nobody")
            #expect(test.lines.last?.hasPrefix("1 of 1 accepted by APNs (") == true)
            for await arrival in arrivals {
                #expect(arrival.device == devices[0].id)
                break
            }
            let both = try await server.apus(
                "campaign",
                "test",
                Self.app,
                campaign.id,
                "--user",
                "anna",
                "--device",
                "phone-1"
            )
            #expect(both.status == 2)
            // A device that has deleted the app gets nothing: the command says so, and fails.
            let gone = String(repeating: "ab", count: 32)
            let put = try await server.apus("devices", "put", Self.app, "old-phone", "--token", gone)
            #expect(put.status == 0, "\(put.errors)")
            let refused = try await server.apus(command + ["--device", "old-phone", "--device", "none"])
            #expect(refused.status == 1)
            #expect(refused.lines.dropFirst().first?.hasPrefix("0 of 1 accepted by APNs (") == true)
            #expect(refused.lines.last == "  old-phone: 400 BadDeviceToken")
            let removed = try await server.apus("devices", "delete", Self.app, "old-phone")
            #expect(removed.status == 0, "\(removed.errors)")
            let resume = try await server.apus("campaign", "resume", Self.app, campaign.id)
            #expect(resume.status == 0)
            #expect(try await server.apus("campaign", "watch", Self.app, campaign.id).status == 0)
            #expect(devices.map { simulator.device($0.id)?.notifications.count } == [2, 1])
        }
    }

    @Test("pauses, resumes and cancels a campaign")
    func steered() async throws {
        try await ServerInTest.with(roles: "none") { _, server in
            let create = try await server.apus("campaign", "create", Self.app, "--title", "Hello", "--json")
            let campaign: CampaignResponse = try create.lastLine()
            let token = String(repeating: "ab", count: 32)
            let put = try await server.apus("devices", "put", Self.app, "phone", "--token", token)
            #expect(put.status == 0, "\(put.errors)")
            let command = ["campaign", "test", Self.app, campaign.id, "--device", "phone", "--no-wait"]
            let test = try await server.apus(command)
            #expect(test.status == 0, "\(test.errors)")
            #expect(test.lines.count == 1)
            #expect(test.lines.last?.hasPrefix("Accepted 1 as ") == true)
            #expect(test.lines.last?.hasSuffix("; 1 under way.") == true)
            let asJSON: NotificationResponse = try await server.apus(command + ["--json"]).lastLine()
            #expect(asJSON.remaining == 1)
            for (verb, state) in [("pause", "paused"), ("resume", "scheduled"), ("cancel", "cancelled")] {
                let run = try await server.apus("campaign", verb, Self.app, campaign.id, "--json")
                #expect(run.status == 0, "\(run.errors)")
                #expect(try run.lastLine(as: CampaignResponse.self).progress.state == state)
            }
            let watch = try await server.apus("campaign", "watch", Self.app, campaign.id)
            #expect(watch.status == 1)
            let again = try await server.apus("campaign", "resume", Self.app, campaign.id, "--json")
            #expect(again.failure?.code == "campaign_completed")
        }
    }
}
