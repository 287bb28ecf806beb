// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import ArgumentParser
import CommandLineSupport

/// A client that polls a resource of a server, also while the server restarts.
///
/// If the first request fails, its error is thrown. Later requests are retried, and so is the first one if the caller
/// has created the resource.
struct RetryingClient {
    /// The exit status of a command that stopped watching before the end.
    static let lostStatus: Int32 = 3

    /// The delay before a retry.
    private static let pause: Duration = .seconds(1)

    let client: APIClient

    /// The resource as the subject of a sentence: `Campaign 0199...`.
    let subject: String

    /// The command that continues watching.
    let command: String

    /// The maximum time without a response; 0 means no retry.
    let retryTimeout: Duration

    /// Whether the resource is known to exist.
    private(set) var isKnown: Bool

    private var silentSince: ContinuousClock.Instant?

    init(_ client: APIClient, subject: String, command: String, retryTimeout: Duration, isMade: Bool) {
        self.client = client
        self.subject = subject
        self.command = command
        self.retryTimeout = retryTimeout
        self.isKnown = isMade
    }

    /// Requests the resource; retries if there is no response, or a temporary error (5xx, 429).
    ///
    /// - Returns: the response, and its decoded value.
    /// - Throws: ``CommandError``: that of the first request; later `.watch_interrupted` with status 3.
    mutating func look<Value: Decodable>(
        at path: String,
        as type: Value.Type
    ) async throws -> (answer: APIResponse, value: Value) {
        while true {
            do {
                let answer = try await self.client.call(.get, path)
                let value = try answer.decoded(as: type)
                self.isKnown = true
                self.silentSince = nil
                return (answer, value)
            } catch let failure as CommandError where self.isKnown {
                let since = self.silentSince ?? .now
                guard failure.mayPass, since.duration(to: .now) < self.retryTimeout else { throw self.lost(failure) }
                if self.silentSince == nil { Console.note("apus: \(failure.message)\n  Retrying.") }
                self.silentSince = since
            }
            try await Task.sleep(for: Self.pause)
        }
    }

    private func lost(_ failure: CommandError) -> CommandError {
        let message = """
            \(self.subject) was created. Watching ended: \(failure.message)
              Do not create it again. Continue with: \(self.command)
            """
        return CommandError("watch_interrupted", message, status: Self.lostStatus, cause: failure)
    }
}

/// The maximum time without a response while a command watches.
struct RetryTimeoutArguments: ParsableArguments {
    @Option(
        help: "Seconds without a response before watching ends with status 3."
    )
    var retryTimeout = 600

    var duration: Duration { .seconds(self.retryTimeout) }

    func validate() throws {
        guard (0...604_800).contains(self.retryTimeout) else {
            throw ValidationError("--retry-timeout: expected a number from 0 to 604800, got \(self.retryTimeout).")
        }
    }
}
