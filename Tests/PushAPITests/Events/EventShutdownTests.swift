// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import ApusTesting
import Foundation
import PushAPI
import PushModel
import SQLStore
import SQLiteStore
import ServiceLifecycle
import Testing

@Suite("The feed's streams at a shutdown", .timeLimit(.minutes(20)))
struct EventShutdownTests {
    @Test("streams end in an orderly way, so that readers come back, and the server ends")
    func shutdown() async throws {
        try await withTemporaryStore { store in
            let admin = try await TestAPI.addKey(to: store, scopes: [.admin])
            try await store.createApp(App(id: TestAPI.app, createdAt: TestTime.start))
            var configuration = PushAPIConfiguration()
            configuration.port = 0
            let logs = LogRecorder()
            let (ports, told) = AsyncStream.makeStream(of: Int.self)
            let api = PushAPI(
                store: store,
                inspector: TestInspector(),
                configuration: configuration,
                logger: logs.logger,
                clock: TestClock(),
                onListening: { told.yield($0) }
            )
            let group = ServiceGroup(
                configuration: ServiceGroupConfiguration(
                    services: [api],
                    logger: logs.logger
                )
            )
            try await withThrowingTaskGroup(of: Void.self) { tasks in
                tasks.addTask { try await group.run() }
                let port = try #require(await ports.first { _ in true })
                try await withHTTPClient { client in
                    var reader = try await EventReader.open(client, port: port, key: admin.text)
                    #expect(try await reader.line() == "retry: 2000")
                    await group.triggerGracefulShutdown()
                    // The end of the body, and no broken connection.
                    #expect(try await reader.event()?.json == nil)
                    try await tasks.waitForAll()
                }
            }
        }
    }
}
