// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import ArgumentParser
import CommandLineSupport

/// The progress of a campaign or a token validation that a command watches.
protocol WatchedProgress: Decodable {
    static var noun: String { get }
    static var command: String { get }
    static func path(_ app: String, _ id: String) -> String

    var state: String { get }
    var isCompleted: Bool { get }
    var summary: String { get }

    /// The text for a terminal.
    var line: String { get }
}

extension CampaignResponse.Progress: WatchedProgress {
    static let noun = "campaign"
    static let command = "campaign"
    static func path(_ app: String, _ id: String) -> String {
        "/v1/apps/\(app.asPathSegment)/campaigns/\(id.asPathSegment)/progress"
    }

    var line: String { self.bar(width: 30) + " " + self.summary }
}

extension TokenValidationResponse: WatchedProgress {
    static let noun = "token validation"
    static let command = "tokens"
    static func path(_ app: String, _ id: String) -> String {
        "/v1/apps/\(app.asPathSegment)/token-validations/\(id.asPathSegment)"
    }

    var line: String { self.summary }
}

extension ServerArguments {
    /// Shows the progress once a second, until it ends.
    ///
    /// With `isMade`, this command has created it; then the first failed request is retried, too.
    ///
    /// - Throws: ``CommandError`` if the first request fails, or later ones fail for too long; `ExitCode` if it did not
    ///   finish.
    func watch<Progress: WatchedProgress>(
        _ type: Progress.Type,
        _ id: String,
        of app: String,
        isMade: Bool = false,
        retryTimeout: RetryTimeoutArguments
    ) async throws {
        let line = ProgressLine.standardOutput()
        var shown = ""
        var looks = RetryingClient(
            try self.client(),
            subject: "The \(type.noun) \(id)",
            command: "apus \(type.command) watch \(app) \(id)",
            retryTimeout: retryTimeout.duration,
            isMade: isMade
        )
        while true {
            let (answer, progress) = try await looks.look(at: type.path(app, id), as: type)
            if self.json {
                Console.out(answer.text)
            } else if line.isTerminal {
                line.show(progress.line)
            } else if progress.summary != shown {
                shown = progress.summary
                Console.out("\(progress.state): \(shown)")
            }
            if progress.isCompleted {
                if !self.json { line.end("\(progress.state): \(progress.summary)") }
                if progress.state != "completed" { throw ExitCode.failure }
                return
            }
            try await Task.sleep(for: .seconds(1))
        }
    }
}
