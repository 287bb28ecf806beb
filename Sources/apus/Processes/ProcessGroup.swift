// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import ArgumentParser
import CommandLineSupport
import Foundation
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

/// Runs until standard input ends: the sign that the process which started this one is gone, or wants it to stop.
///
/// A thread waits in `read`, which nothing but input or the end of the process wakes; so there is one watch per process.
struct InputWatch: Service {
    let logger: Logger

    func run() async throws {
        let (ends, continuation) = AsyncStream.makeStream(of: Void.self)
        Thread.detachNewThread {
            while FileHandle.standardInput.nextBytes() != nil {}
            continuation.finish()
        }
        for await _ in ends.cancelOnGracefulShutdown() {}
        self.logger.debug("standard input ended")
    }
}

/// How a command that runs until it is stopped tells that it is ready, and when it stops.
struct ProcessArguments: ParsableArguments {
    @Flag(help: "Write the line that says it is ready as JSON, for programs.")
    var json = false

    @Flag(help: "Stop when standard input ends, as it does when the process that started this one is gone.")
    var untilInputEnds = false
}
