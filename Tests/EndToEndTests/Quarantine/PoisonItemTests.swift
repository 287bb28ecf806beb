// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import ApusTesting
import CommandLineSupport
import Foundation
import PushModel
import StoreTesting
import Testing

@testable import apus

@Suite("Poison items", .timeLimit(.minutes(20)))
struct PoisonItemTests {
    @Test(
        "an item that ends three processes is quarantined, its neighbor is processed, and a repetition completes it",
        arguments: TestStoreBackend.allCases,
        WorkKind.allCases
    )
    func poison(store: TestStoreBackend, kind: WorkKind) async throws {
        try await PoisonPlace.open(on: store) { place in
            let idle = try await place.startIdle()
            try await idle.createApp(place.simulator)
            let poison = try await place.plant(kind, "poison", by: idle)
            let neighbor = try await place.plant(kind, "neighbor", by: idle)
            #expect(await idle.process.stop() == 0)

            let (running, deaths) = try await place.supervise(trap: "\(kind.rawValue):\(poison.id)") { running in
                try await !place.quarantined(running).isEmpty && neighbor.isDone()
            }
            // One process more if the neighbor had become a suspect too, and was leased as the third one ended.
            #expect(
                (Interruptions.maximum...Interruptions.maximum + 1).contains(deaths.count),
                "\(deaths.joined(separator: "\n--\n"))"
            )
            let entries = try await place.quarantined(running)
            let entry = try #require(entries.first)
            #expect(entries.count == 1)
            #expect(entry.type == kind.rawValue)
            #expect(entry.reason == QuarantinedItem.Reason.interrupted.rawValue)
            #expect(entry.app == (kind == .topicDelivery ? nil : ServerInTest.app))
            if kind != .topicDelivery, kind != .endpointEvent { #expect(entry.item == poison.id) }
            // The process reports it shortly after.
            try await place.wait(with: running) {
                try await running.metric("apus_work_quarantined_total", #"type="\#(kind.rawValue)""#) > 0
            }
            if entry.app != nil {
                let events = try await running.api.call(.get, "/v1/apps/\(ServerInTest.app)/events").text
                #expect(events.contains("work.quarantined"))
            }
            if let state = poison.state {
                let text = try await running.api.call(.get, state.path).text
                #expect(text.contains(state.text), "\(text)")
            }
            #expect(await running.process.stop() == 0)

            let last = try await place.start()
            #expect(try await place.quarantined(last).map(\.number) == [entry.number])
            #expect(!poison.isDone())
            if kind != .batch { _ = try await last.api.call(.post, "/v1/quarantine/\(entry.number):repeat") }
            if let retry = poison.retry { _ = try await last.api.call(.post, retry) }
            try await place.wait(with: last) {
                // A batch that has failed stays in the list.
                let isListed = try await !place.quarantined(last).isEmpty
                return poison.isDone() && (kind == .batch || !isListed)
            }
            #expect(await last.process.stop() == 0)
        }
    }
}
