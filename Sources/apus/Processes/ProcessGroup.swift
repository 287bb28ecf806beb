// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Logging
import ServiceLifecycle
import UnixSignals

/// Runs the services of one process until it is told to stop.
enum ProcessGroup {
    /// How long services may take to finish what they have begun before they are cancelled.
    private static let patience: Duration = .seconds(30)

    /// Runs services until one of them fails, a signal comes (SIGTERM, SIGINT), or standard input ends where that counts.
    ///
    /// They are stopped in the opposite order, each after it has finished what it had begun. `main`, where there is one,
    /// ends the others by its own end.
    /// - Parameters:
    ///   - services: what to run.
    ///   - main: the service whose end is the end of the process.
    ///   - untilInputEnds: whether the end of standard input stops them.
    ///   - logger: told of the start and the end.
    /// - Throws: what the first service to fail throws.
    static func run(
        _ services: [any Service],
        main: (any Service)? = nil,
        untilInputEnds: Bool = false,
        logger: Logger
    ) async throws {
        var members = services.map { ServiceGroupConfiguration.ServiceConfiguration(service: $0) }
        let ending = [main, untilInputEnds ? InputWatch(logger: logger) : nil].compactMap(\.self)
        members += ending.map { .init(service: $0, successTerminationBehavior: .gracefullyShutdownGroup) }
        var quiet = logger
        quiet.logLevel = max(logger.logLevel, .error)
        var configuration = ServiceGroupConfiguration(
            services: members,
            gracefulShutdownSignals: [.sigterm, .sigint],
            logger: quiet
        )
        configuration.maximumGracefulShutdownDuration = Self.patience
        try await ServiceGroup(configuration: configuration).run()
    }
}
