// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import ArgumentParser
import CommandLineSupport
import Logging
import Synchronization

/// Runs a demo of the complete path of a push on this machine.
struct DemoCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "demo",
        abstract: "Run a demo: simulator, server, scheduler and virtual devices, on this machine.",
        discussion: """
            Starts a simulator, a server and a scheduler as separate processes in a temporary directory, registers \
            virtual devices, sends to them with the HTTP API, and shows the pushes that each device received. Then it \
            runs two Live Activities, advances the clock, and kills the scheduler in between. It keeps running until \
            Ctrl-C.

            The exit status is 0 only if every notification was delivered, the unregistered token was invalidated, and \
            every transition was executed once.
            """
    )

    @Flag(help: "End after the last check.")
    var once = false

    @OptionGroup var output: OutputArguments

    func run() async throws {
        let report = Mutex<DemoReport?>(nil)
        let service = DemoService(
            endsByItself: self.once,
            narrator: DemoPrinter(style: .standardOutput())
        ) { found in
            report.withLock { $0 = found }
        }
        var logger = Logger(label: "apus.demo")
        logger.logLevel = .critical
        try await ProcessServices.run([], main: service, logger: logger)
        guard let result = report.withLock({ $0 }) else { throw CancellationError() }
        if self.output.json { try Console.json(result) }
        if !result.isGood { throw ExitCode.failure }
    }
}
