// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import ArgumentParser
import CommandLineSupport

#if canImport(Glibc)
import CSpawn
import Foundation
#endif

@main
struct Apus {
    static func main() async {
        Self.limitArenas()
        if VersionReport.isRequested(by: CommandLine.arguments.dropFirst()), (try? Console.json(VersionReport())) != nil
        {
            return
        }
        await CommandEntry.run(ApusCommand.self)
    }

    /// Lets glibc use two memory arenas for each core, and at least four, instead of eight for each core.
    ///
    /// The threads of a server fill all arenas. With four on two cores, `dev/bench activities` needs 7 % less memory
    /// than with sixteen. With two it needs another 14 % less, but threads wait for each other's arenas: a send of
    /// `dev/bench singles` costs a quarter more processor time. `MALLOC_ARENA_MAX` in the environment overrides this.
    private static func limitArenas() {
        #if canImport(Glibc)
        guard ProcessInfo.processInfo.environment["MALLOC_ARENA_MAX"] == nil else { return }
        mallopt(M_ARENA_MAX, CInt(clamping: 2 * max(2, ProcessInfo.processInfo.activeProcessorCount)))
        #endif
    }
}

/// The root of all commands.
struct ApusCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "apus",
        abstract: "A push server for Apple devices, with a simulator of APNs.",
        discussion: """
            apus demo          demo: simulator, server, three virtual devices
            apus serve         the server: HTTP API and delivery to APNs
            apus deliver       only delivery; any number of processes
            apus schedule      only scheduling; any number of processes
            apus simulate      APNs simulator, for tests and development
            apus doctor        find problems of a server on this machine, with fixes

            The commands that call a server read its URL from --url or APUS_URL, and the API key from APUS_API_KEY.
            """,
        version: BuildInfo.line,
        subcommands: [
            ServeCommand.self, DeliverCommand.self, ScheduleCommand.self, SimulateCommand.self, DemoCommand.self,
            SendCommand.self, CampaignCommand.self, TokenValidationCommand.self, JobsCommand.self, ActivityCommand.self,
            AppsCommand.self, DevicesCommand.self, ChannelsCommand.self, TopicsCommand.self,
            EventsCommand.self, QuarantineCommand.self, KeysCommand.self, StoreCommand.self, AuditCommand.self,
            ImportCommand.self,
            ConfigCommand.self, ReadyCommand.self, DoctorCommand.self, CanaryCommand.self,
        ]
    )
}
