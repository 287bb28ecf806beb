// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Logging
import ServiceLifecycle

/// Runs services for as long as `body` takes, and shuts them down gracefully; when `body` throws, they are cancelled.
func withServices(_ services: [any Service], _ body: () async throws -> Void) async throws {
    let group = ServiceGroup(configuration: ServiceGroupConfiguration(services: services, logger: .silent))
    try await withThrowingTaskGroup(of: Void.self) { tasks in
        tasks.addTask { try await group.run() }
        try await body()
        await group.triggerGracefulShutdown()
        try await tasks.waitForAll()
    }
}
