// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import ArgumentParser

/// Runs a worker that sends.
struct DeliverCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "deliver",
        abstract: "Send what servers on the same store accept, in a process of its own.",
        discussion: """
            As many as you like share the work, and what one of them leaves behind when it dies the others take over. The \
            servers then run with: apus serve --with scheduling

            Give it the store and the values of the servers; `apus config print` shows them. It serves /healthz, /readyz \
            and /metrics where --probes-port names a port.
            """
    )

    @OptionGroup var arguments: ConfigurationArguments
    @OptionGroup var process: ProcessArguments

    func run() async throws {
        try await WorkerRun(role: .deliver, arguments: self.arguments, process: self.process).run()
    }
}
