// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import CommandLineSupport
import Foundation
import Logging
import ServiceLifecycle

/// The clock of a whole process.
struct TimeOfDay: Sendable {
    let now: @Sendable () -> Date

    /// The services that the clock needs.
    let services: [any Service]

    /// The system's time, or that of a simulator.
    ///
    /// - Throws: ``CommandFailure`` `.bad_configuration` if the simulator does not return the time.
    init(_ configuration: ServerConfiguration, logger: Logger) async throws {
        guard let url = configuration.clockSimulator else {
            self.now = { Date() }
            self.services = []
            return
        }
        do {
            let clock = try await SimulatorClock.of(url, logger: logger)
            self.now = { clock.now }
            self.services = [clock]
        } catch let failure as CommandFailure {
            let name = configuration.name(of: .clockSimulator)
            let rule = "\(name): expected the control API of a running simulator"
            throw CommandFailure("bad_configuration", "\(rule). \(failure.message)", cause: failure)
        }
        logger.notice("Using the simulator's clock", metadata: ["simulator": "\(url)"])
    }
}
