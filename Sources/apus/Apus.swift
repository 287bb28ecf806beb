// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import ArgumentParser
import Foundation

/// The command line: parses, runs, and turns whatever goes wrong into a message and an exit code.
///
/// Exit codes: 0 all went well, 1 it failed, 2 the command line itself is wrong, 3 what was created was lost sight of.
/// Whoever stops reading standard output ends the command by SIGPIPE, as with other programs.
@main
struct Apus {
    static func main() async {
        StandardStream.ignoreLostReaders()
        do {
            var command = try ApusCommand.parseAsRoot()
            if var asynchronous = command as? any AsyncParsableCommand {
                try await asynchronous.run()
            } else {
                try command.run()
            }
        } catch {
            Self.exit(with: error)
        }
    }

    private static func exit(with error: any Error) -> Never {
        let code = ApusCommand.exitCode(for: error)
        if code == .success {
            Console.out(ApusCommand.message(for: error))
        } else if code == .validationFailure {
            Console.note(ApusCommand.fullMessage(for: error))
            Foundation.exit(2)
        } else if let failure = CommandFailure(error) {
            failure.report(asJSON: CommandLine.arguments.contains("--json"))
            Foundation.exit(failure.status)
        }
        Foundation.exit(code == .success ? 0 : 1)
    }
}

/// The root of all commands.
struct ApusCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "apus",
        abstract: "A push server for Apple devices, with a simulator of Apple's side.",
        discussion: """
            apus demo          see it work: simulator, server, three virtual devices
            apus serve         the server: HTTP API and delivery to APNs
            apus deliver       delivery alone, as many processes as you like
            apus schedule      planning alone, likewise
            apus simulate      Apple's side on this machine, for tests and development

            The commands that talk to a server take it from --url or APUS_URL, and its key from APUS_API_KEY.
            """,
        subcommands: [
            ServeCommand.self, DeliverCommand.self, ScheduleCommand.self, SimulateCommand.self, DemoCommand.self,
            SendCommand.self, CampaignCommand.self, ScreenCommand.self, JobsCommand.self, ActivityCommand.self,
            AppsCommand.self, DevicesCommand.self, ChannelsCommand.self, TopicsCommand.self,
            EventsCommand.self, KeysCommand.self, ImportCommand.self,
            ConfigCommand.self,
            BenchCommand.self,
        ]
    )
}
