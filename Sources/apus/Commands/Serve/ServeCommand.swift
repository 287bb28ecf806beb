// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import ArgumentParser

/// Runs the server.
struct ServeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve",
        abstract: "Run the server: the HTTP API, and the delivery of what it accepts.",
        discussion: """
            Values come from flags, then the environment, then a JSON file, then the defaults; `apus config print` \
            shows them.

            The first API key is made with: apus keys create NAME --data DIR
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
                    Console.note(
                        "There is no API key yet. Make one: \(OwnExecutable.typed) keys create NAME --data \(ready.data)"
                    )
                }
            }
        }
    }
}
