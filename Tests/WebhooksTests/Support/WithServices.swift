// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Logging
import ServiceLifecycle

/// Runs services for as long as `body` takes, and shuts them down gracefully.
func withServices(_ services: [any Service], _ body: () async throws -> Void) async throws {
    let group = ServiceGroup(configuration: ServiceGroupConfiguration(services: services, logger: .silent))
    try await withThrowingTaskGroup(of: Void.self) { tasks in
        tasks.addTask { try await group.run() }
        let result: Result<Void, any Error>
        do {
            result = .success(try await body())
        } catch {
            result = .failure(error)
        }
        await group.triggerGracefulShutdown()
        try await tasks.waitForAll()
        try result.get()
    }
}
