// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import ArgumentParser

/// Runs a worker that plans.
struct ScheduleCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "schedule",
        abstract: "Do on time what is planned on the servers of the same store, in a process of its own.",
        discussion: """
            It plans campaigns, carries out the transitions of Live Activities, and runs jobs.

            As many as you like share the work, and what one of them leaves behind when it dies the others take over. It \
            never talks to APNs. The servers then run with: apus serve --with delivery

            Give it the store and the values of the servers; `apus config print` shows them. It serves /healthz, /readyz \
            and /metrics where --probes-port names a port.
            """
    )

    @OptionGroup var arguments: ConfigurationArguments
    @OptionGroup var process: ProcessArguments

    func run() async throws {
        try await WorkerRun(role: .schedule, arguments: self.arguments, process: self.process).run()
    }
}
