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
            environment and file. The options of the server, such as --config, are in apus serve --help. The \
            certificate of that address is not verified: it names the public host, and the request contains no secret.

            For a worker, use the URL of its probes: apus ready --url http://127.0.0.1:PROBES-PORT
            """
    )

    @Option(help: "URL of the server. Default: $APUS_URL, or host and port of the configuration.")
    var url: String?

    @Option(help: "Seconds until the server counts as not ready, 1 to 600.")
    var timeout = 5

    @Option(help: "Seconds in which a request without a response, or with status 429 or 5xx, is repeated, 0 to 600.")
    var wait = 0

    @OptionGroup var client: ClientTLSArguments
    @OptionGroup(title: "Configuration of the server", visibility: .hidden) var arguments: ConfigurationArguments
    @OptionGroup var output: OutputArguments

    func validate() throws {
        guard (1...600).contains(self.timeout) else {
            throw ValidationError("--timeout: expected 1 to 600 seconds, got \(self.timeout).")
        }
        guard (0...600).contains(self.wait) else {
            throw ValidationError("--wait: expected 0 to 600 seconds, got \(self.wait).")
        }
    }

    func run() async throws {
        let environment = ProcessInfo.processInfo.environment
        let named = self.url ?? environment["APUS_URL"]
        let url = try ServerArguments.checked(try named ?? self.configuredURL())
        var tls = try self.client.tls(environment: environment)
        if named == nil { tls = tls.unverified }
        let end = ContinuousClock.now + .seconds(self.wait)
        while true {
            do {
                try await self.check(url, tls)
                break
            } catch let error as CommandError {
                guard error.mayPass, ContinuousClock.now < end else { throw error }
                try await ContinuousClock().sleep(for: .milliseconds(200))
            }
        }
        if self.output.json { try Console.json(["url": url]) } else { Console.out("\(url) is ready") }
    }

    private func check(_ url: String, _ tls: ClientTLS) async throws {
        let exchange = HTTPJSONClient(url: url, timeout: .seconds(Int64(self.timeout)), tls: tls)
        let response = try await exchange.send(.get, "/readyz")
        guard response.status == 200 else {
            let failure = CommandError(problem: response, of: "GET /readyz")
            let message = "\(url) is not ready: \(failure.message)"
            throw CommandError("not_ready", message, mayPass: failure.mayPass, cause: failure)
        }
    }

    private func configuredURL() throws -> String {
        let configuration = try ServerConfiguration(try self.arguments.entries())
        return configuration.listeningURL(port: configuration.port)
    }
}
