// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import ArgumentParser
import CommandLineSupport

struct ServeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve",
        abstract: "Run the server: the HTTP API, and the delivery of what it accepts.",
        discussion: """
            Values come from flags, then the environment, then a JSON file, then the defaults; `apus config print` \
            shows them.

            The first API key is made with: apus keys create NAME --scope admin --data DIR
            """
    )

    @OptionGroup var arguments: ConfigurationArguments
    @OptionGroup var process: ProcessArguments

    func run() async throws {
        let configuration = try ServerConfiguration(try self.arguments.entries())
        let logger = configuration.processLogger()
        let server = Server(configuration: configuration, logger: logger)
        try await server.run(untilInputEnds: self.process.untilInputEnds) { ready in
            if self.process.json {
                try? Console.announce(json: ready)
            } else {
                Console.announce("apus serve: ready; API at \(ready.url), store in \(ready.store)")
                if !ready.hasKeys {
                    let command = "\(OwnExecutable.typed) keys create NAME --scope admin --data \(ready.data)"
                    Console.note("There is no API key yet. Make one: \(command)")
                }
            }
        }
    }
}

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

/// What the commands of all workers do.
struct WorkerRun {
    let role: Worker.Role
    let arguments: ConfigurationArguments
    let process: ProcessArguments

    func run() async throws {
        let configuration = try ServerConfiguration(try self.arguments.entries())
        let worker = Worker(role: self.role, configuration: configuration, logger: configuration.processLogger())
        try await worker.run(untilInputEnds: self.process.untilInputEnds) { ready in
            if self.process.json {
                try? Console.announce(json: ready)
            } else {
                let place = "the store in \(ServerStore.place(data: configuration.data, url: configuration.storeURL))"
                let probes = ready.probes.map { "; probes at \($0)" } ?? ""
                Console.announce("apus \(self.role.rawValue): ready; process \(ready.pid) works on \(place)\(probes)")
            }
        }
    }
}
