// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import ArgumentParser
import CommandLineSupport
import Logging
import Synchronization

/// Shows the whole path of a push on this machine.
struct DemoCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "demo",
        abstract: "See pushes travel: simulator, server, scheduler and virtual devices, on this machine.",
        discussion: """
            Starts a simulator, a server and a scheduler as processes of their own in a temporary directory, registers \
            virtual devices, sends to them through the HTTP API, and shows what each device received. Then two Live \
            Activities run, the clock is moved, and the scheduler is killed in between. Stays up for more until Ctrl-C.

            The exit status is 0 only when every notification arrived, the dead token was marked, and every planned \
            change was seen once.
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
