// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import ArgumentParser
import CommandLineSupport
import Foundation
import NIOCore

/// Checks that a server process is ready, for health checks of containers; needs no API key.
struct ReadyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "ready",
        abstract: "Request /readyz of a server: exit status 0 if it is ready, 1 if not.",
        discussion: """
            Without --url and APUS_URL, it uses the address that `apus serve` would listen on with the same flags, \
            environment and file.

            For a worker, use the URL of its probes: apus ready --url http://127.0.0.1:PROBES-PORT
            """
    )

    @Option(help: "URL of the server. Default: $APUS_URL, or host and port of the configuration.")
    var url: String?

    @Option(help: "Seconds until the server counts as not ready, 1 to 600.")
    var timeout = 5

    @OptionGroup(title: "Configuration of the server") var arguments: ConfigurationArguments
    @OptionGroup var output: OutputArguments

    func validate() throws {
        guard (1...600).contains(self.timeout) else {
            throw ValidationError("--timeout: expected 1 to 600 seconds, got \(self.timeout).")
        }
    }

    func run() async throws {
        let environment = ProcessInfo.processInfo.environment
        let url = try ServerArguments.checked(try self.url ?? environment["APUS_URL"] ?? self.configuredURL())
        let exchange = HTTPExchange(url: url, timeout: .seconds(Int64(self.timeout)))
        let response = try await exchange.send(.get, "/readyz")
        guard response.status == 200 else {
            let failure = CommandFailure(problem: response, of: "GET /readyz")
            throw CommandFailure("not_ready", "\(url) is not ready: \(failure.message)", cause: failure)
        }
        if self.output.json { try Console.json(["url": url]) } else { Console.out("\(url) is ready") }
    }

    private func configuredURL() throws -> String {
        let configuration = try ServerConfiguration(try self.arguments.entries())
        return ListeningURL.text(host: configuration.host, port: configuration.port)
    }
}
