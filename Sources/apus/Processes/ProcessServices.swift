// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import ArgumentParser
import CommandLineSupport
import Foundation
import Logging
import ServiceLifecycle
import UnixSignals

/// Runs the services of a process until it receives a stop signal.
enum ProcessServices {
    /// The time that services have to finish their work before they are cancelled.
    private static let patience: Duration = .seconds(30)

    /// Runs services until one of them fails, a signal arrives (SIGTERM, SIGINT), or standard input ends if that is
    /// observed.
    ///
    /// It stops them in the opposite order, each after it has finished its work. If `main` ends, the others end too.
    /// - Throws: the error of the first service that fails.
    static func run(
        _ services: [any Service],
        main: (any Service)? = nil,
        exitOnStdinClose: Bool = false,
        logger: Logger
    ) async throws {
        var members = services.map { ServiceGroupConfiguration.ServiceConfiguration(service: $0) }
        let ending = [main, exitOnStdinClose ? StandardInputMonitor(logger: logger) : nil].compactMap(\.self)
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

/// Runs until standard input ends: the parent process has ended, or wants this one to stop.
///
/// A thread blocks in `read`, which only input or the end of the process wakes, so there is one watch per process.
struct StandardInputMonitor: Service {
    let logger: Logger

    func run() async throws {
        let (ends, continuation) = AsyncStream.makeStream(of: Void.self)
        Thread.detachNewThread {
            while FileHandle.standardInput.nextBytes() != nil {}
            continuation.finish()
        }
        for await _ in ends.cancelOnGracefulShutdown() {}
        self.logger.debug("Standard input ended")
    }
}

/// The options of a command that runs until it is stopped.
struct ProcessArguments: ParsableArguments {
    @Flag(help: "Write the ready message as JSON, for programs.")
    var json = false

    @Flag(help: "Stop when standard input ends, as it does when the parent process has ended.")
    var exitOnStdinClose = false
}
