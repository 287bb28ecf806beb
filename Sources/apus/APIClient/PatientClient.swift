// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import ArgumentParser
import CommandLineSupport

/// Looks at what goes on at a server again and again, also while that is started anew.
///
/// Only a first look that fails is a failure like any other: later ones, and all of them where the caller has made what is
/// looked at, are repeated.
struct PatientClient {
    /// The exit status of a command that has lost sight of what goes on.
    static let lostStatus: Int32 = 3

    /// How long is waited before a look that failed is repeated.
    private static let pause: Duration = .seconds(1)

    let client: APIClient

    /// What is looked at, as it begins a sentence: `Campaign 0199...`.
    let subject: String

    /// The command that looks at it again.
    let command: String

    /// How long it goes on without an answer; 0 repeats nothing.
    let patience: Duration

    /// Whether it is there for certain.
    private(set) var isKnown: Bool

    private var silentSince: ContinuousClock.Instant?

    init(_ client: APIClient, subject: String, command: String, patience: Duration, isMade: Bool) {
        self.client = client
        self.subject = subject
        self.command = command
        self.patience = patience
        self.isKnown = isMade
    }

    /// Looks once, and again where no answer comes, or one that may be another one soon (5xx, 429).
    ///
    /// - Returns: the answer as it came, and as a value.
    /// - Throws: ``CommandFailure``: that of the first look; later `.not_watched` with status 3.
    mutating func look<Value: Decodable>(
        at path: String,
        as type: Value.Type
    ) async throws -> (answer: APIAnswer, value: Value) {
        while true {
            do {
                let answer = try await self.client.call(.get, path)
                let value = try answer.decoded(as: type)
                self.isKnown = true
                self.silentSince = nil
                return (answer, value)
            } catch let failure as CommandFailure where self.isKnown {
                let since = self.silentSince ?? .now
                guard failure.mayPass, since.duration(to: .now) < self.patience else { throw self.lost(failure) }
                if self.silentSince == nil { Console.note("apus: \(failure.message)\n  It is asked again.") }
                self.silentSince = since
            }
            try await Task.sleep(for: Self.pause)
        }
    }

    private func lost(_ failure: CommandFailure) -> CommandFailure {
        let message = """
            \(self.subject) has been created, but was not watched to its end: \(failure.message)
              Do not create it again. Look at it: \(self.command)
            """
        return CommandFailure("not_watched", message, status: Self.lostStatus, cause: failure)
    }
}

/// How long a command that watches goes on without an answer.
struct PatienceArguments: ParsableArguments {
    @Option(
        help: "While it watches: after how many seconds without an answer of the server it gives up, with status 3."
    )
    var patience = 600

    var duration: Duration { .seconds(self.patience) }

    func validate() throws {
        guard (0...604_800).contains(self.patience) else {
            throw ValidationError("A --patience is a number from 0 to 604800; got \(self.patience).")
        }
    }
}
