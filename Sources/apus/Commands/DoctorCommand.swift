// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import ArgumentParser
import CommandLineSupport

/// Checks everything that `apus serve` depends on with the same flags, environment and file.
struct DoctorCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor",
        abstract: "Find problems of a server: configuration, credentials, database, network.",
        discussion: """
            Run it on the machine and as the user of the server, with the flags and variables of the server. It \
            changes nothing. For each problem it prints the problem, its effect, and the fix.

            The exit status is 0 if there is no error; warnings do not change it.
            """
    )

    @OptionGroup var arguments: ConfigurationArguments
    @OptionGroup var output: OutputArguments

    @Flag(help: "Do not connect to APNs. The command still opens the database.")
    var offline = false

    @Flag(help: "Send a push to a token that no device has, with each credential, to check that APNs accepts it.")
    var askApns = false

    func validate() throws {
        if self.offline, self.askApns { throw ValidationError("--ask-apns requires the network. Remove --offline.") }
    }

    func run() async throws {
        let report = await Doctor.examine(self.arguments, isOffline: self.offline, asksAPNs: self.askApns)
        if self.output.json { try Console.json(report) } else { report.lines.forEach(Console.out) }
        if !report.ok { throw ExitCode.failure }
    }
}
