// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import ArgumentParser
import Logging
import Synchronization

/// Shows the whole path of a push on this machine.
struct DemoCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "demo",
        abstract: "See a push travel: simulator, server and three virtual devices, on this machine.",
        discussion: """
            Starts a simulator and a server as processes of their own in a temporary directory, registers three \
            virtual devices, sends to them through the HTTP API, and shows what each device received. Stays up for \
            more until Ctrl-C.

            The exit status is 0 only when every notification arrived and the dead token was marked.
            """
    )

    @Flag(help: "End after the last check.")
    var once = false

    @OptionGroup var output: OutputArguments

    func run() async throws {
        let report = Mutex<DemoReport?>(nil)
        let service = DemoService(
            endsByItself: self.once,
            narrator: DemoNarrator(style: .standardOutput())
        ) { found in
            report.withLock { $0 = found }
        }
        var logger = Logger(label: "apus.demo")
        logger.logLevel = .critical
        try await ProcessGroup.run([], main: service, logger: logger)
        guard let result = report.withLock({ $0 }) else { throw CancellationError() }
        if self.output.json { try Console.json(result) }
        if !result.isGood { throw ExitCode.failure }
    }
}
