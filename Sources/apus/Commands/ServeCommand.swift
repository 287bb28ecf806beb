// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import ArgumentParser
import CommandLineSupport
import PushAPI

struct ServeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve",
        abstract: "Run the API server, by default with delivery and scheduling.",
        discussion: """
            Values come from flags, then the environment, then a JSON file, then the defaults; `apus config print` \
            shows them.

            Create the first API key with: apus keys create NAME --scope admin --data DIR
            """
    )

    @OptionGroup var arguments: ConfigurationArguments
    @OptionGroup var process: ProcessArguments

    func run() async throws {
        let configuration = try ServerConfiguration(try self.arguments.entries())
        let logger = configuration.processLogger()
        let server = Server(configuration: configuration, logger: logger)
        try await server.run(exitOnStdinClose: self.process.exitOnStdinClose) { ready in
            if self.process.json {
                try? Console.announce(json: ready)
            } else {
                Console.announce("apus serve: ready; API at \(ready.url), store in \(ready.store)")
                if let port = ready.proxyPort {
                    Console.note("apns-proxy-server: tcp://\(configuration.proxy?.host ?? ""):\(port)")
                }
                if configuration.console != .disabled { Console.note("Console: \(ready.url)/console") }
                if !ready.hasKeys {
                    let command = "\(CurrentExecutable.typed) keys create NAME --scope admin --data \(ready.data)"
                    Console.note("There is no API key yet. Create one: \(command)")
                }
            }
        }
    }
}

struct DeliverCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "deliver",
        abstract: "Run delivery as a separate process.",
        discussion: """
            Any number can share a store; after a crash another one continues. Run the servers with: apus serve --with \
            scheduling

            Use the store and the values of the servers; `apus config print` shows them. With --probes-port, the \
            process serves /healthz, /readyz and /metrics.
            """
    )

    @OptionGroup var arguments: ConfigurationArguments
    @OptionGroup var process: ProcessArguments

    func run() async throws {
        try await WorkerCommandRunner(role: .deliver, arguments: self.arguments, process: self.process).run()
    }
}

struct ScheduleCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "schedule",
        abstract: "Run the scheduler (campaigns, rollouts, transitions, jobs) as a separate process.",
        discussion: """
            Any number can share a store; after a crash another one continues. The process never connects to APNs. Run \
            the servers with: apus serve --with delivery

            Use the store and the values of the servers; `apus config print` shows them. With --probes-port, the \
            process serves /healthz, /readyz and /metrics.
            """
    )

    @OptionGroup var arguments: ConfigurationArguments
    @OptionGroup var process: ProcessArguments

    func run() async throws {
        try await WorkerCommandRunner(role: .schedule, arguments: self.arguments, process: self.process).run()
    }
}

/// Runs a worker process; shared by the commands of all roles.
struct WorkerCommandRunner {
    let role: Worker.Role
    let arguments: ConfigurationArguments
    let process: ProcessArguments

    func run() async throws {
        let configuration = try ServerConfiguration(try self.arguments.entries())
        let worker = Worker(role: self.role, configuration: configuration, logger: configuration.processLogger())
        try await worker.run(exitOnStdinClose: self.process.exitOnStdinClose) { ready in
            if self.process.json {
                try? Console.announce(json: ready)
            } else {
                let place = "the store in \(ServerStore.place(data: configuration.data, url: configuration.storeURL))"
                let probes = ready.probes.map { "; probes at \($0)" } ?? ""
                Console.announce("apus \(self.role.rawValue): ready; process \(ready.pid) uses \(place)\(probes)")
            }
        }
    }
}
