// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import ArgumentParser

/// Shows how far a screening has come until its end.
struct ScreenWatchCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "watch", abstract: "Watch a screening until its end.")

    @OptionGroup var screening: ScreeningArguments
    @OptionGroup var server: ServerArguments
    @OptionGroup var output: OutputArguments

    func run() async throws {
        let client = try self.server.client()
        try await ScreeningWatch(client: client, path: self.screening.path, asJSON: self.output.json).run()
    }
}

/// Shows how far a screening has come, once a second, until nothing of it will change any more.
struct ScreeningWatch: Sendable {
    let client: APIClient

    /// The path of the screening.
    let path: String

    /// Whether each look is a line of JSON.
    let asJSON: Bool

    func run() async throws {
        let line = ProgressLine.standardOutput()
        var shown = ""
        while true {
            let answer = try await self.client.call(.get, self.path)
            let screening = try answer.decoded(as: ScreeningAnswer.self)
            if self.asJSON {
                Console.out(answer.text)
            } else if line.isTerminal {
                line.show(screening.summary)
            } else if screening.summary != shown {
                shown = screening.summary
                Console.out("\(screening.state): \(shown)")
            }
            if screening.isSettled {
                if !self.asJSON { line.end("\(screening.state): \(screening.summary)") }
                if screening.state != "finished" { throw ExitCode.failure }
                return
            }
            try await Task.sleep(for: .seconds(1))
        }
    }
}
