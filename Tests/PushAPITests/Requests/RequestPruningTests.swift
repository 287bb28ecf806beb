// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import ApusTesting
import Foundation
import PushAPI
import PushModel
import PushStore
import StoreTesting
import Telemetry
import Testing

@Suite("Streams that nobody goes on with", .timeLimit(.minutes(20)))
struct RequestPruningTests {
    @Test("are forgotten after a day, however long they are")
    func forgotten() async throws {
        let clock = TestClock()
        var setup = TestSetup()
        setup.clock = clock
        setup.configuration.notificationRetention = nil
        let registry = MetricsRegistry()
        setup.metrics = registry
        let time = setup.time
        try await withAPI(setup) { api async throws in
            // The first look is over.
            try await clock.timer(dueIn: .seconds(600))
            let names: [StreamID] = ["long", "short"]
            for (name, count) in zip(names, [650, 2]) {
                for line in 1...count {
                    let chunk = StreamChunk(
                        stream: name,
                        app: TestAPI.app,
                        lines: line..<line + 1,
                        notification: nil,
                        entries: [],
                        createdAt: time.now
                    )
                    try await api.store.append(chunk)
                }
            }
            time.advance(by: 24 * 3600 + 1)
            try await clock.fire(timerDueIn: .seconds(600))
            try await clock.timer(dueIn: .seconds(600))
            for name in names { #expect(try await api.store.acceptedLines(of: name, app: TestAPI.app) == 0) }
        }
        #expect(try PrometheusText(registry.text()).value("apus_store_pruned_total", ["resource": "stream"]) == 2)
    }

    @Test("are forgotten also after an error that is no `StoreError`, which is logged")
    func otherFailure() async throws {
        let clock = TestClock()
        var setup = TestSetup()
        setup.clock = clock
        setup.configuration.notificationRetention = nil
        struct Failure: Error {}
        let faults = StoreFaults(1, of: "removeIdempotencyRecords(before:limit:)", with: Failure())
        setup.wrap = { ProbedStore($0, failing: faults) }
        let time = setup.time
        try await withAPI(setup) { api async throws in
            // The first look has failed, and the next one is waited for.
            try await clock.timer(dueIn: .seconds(600))
            #expect(api.logs.entries.contains { $0.message == "Failed to prune old records" })
            let chunk = StreamChunk(
                stream: "short",
                app: TestAPI.app,
                lines: 1..<2,
                notification: nil,
                entries: [],
                createdAt: time.now
            )
            try await api.store.append(chunk)
            time.advance(by: 24 * 3600 + 1)
            try await clock.fire(timerDueIn: .seconds(600))
            try await clock.timer(dueIn: .seconds(600))
            #expect(try await api.store.acceptedLines(of: "short", app: TestAPI.app) == 0)
        }
    }
}
