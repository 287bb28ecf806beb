// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import ArgumentParser
import Foundation

/// Makes a job, or defines one anew.
struct JobsPutCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "put",
        abstract: "Make a job, or define one anew; the same again changes nothing.",
        discussion: """
            apus jobs put com.example.app lessons-ending --cron '* * * * *' --activities LessonAttributes \\
              --instant endsAt --within 960 --where '{"status":"active"}' --patch '{"status":"ending"}'
            apus jobs put com.example.app nightly --cron '30 2 * * *' --time-zone Europe/Zurich --webhook wh_0123456789abcdef
            apus jobs put com.example.app weekly --file job.json
            A file holds the whole job as the API takes it; the flags are for what is simple.
            """
    )

    @OptionGroup var job: JobArguments

    @Option(help: "A file with the job as JSON; - is standard input. Then no flag says what it is.")
    var file: String?

    @OptionGroup(title: "What") var content: JobContentArguments
    @OptionGroup var server: ServerArguments
    @OptionGroup var output: OutputArguments

    func validate() throws {
        if self.file != nil {
            guard self.content.isEmpty else {
                throw ValidationError("Give either --file, or flags that say when to do what.")
            }
        } else {
            try self.content.check()
        }
    }

    func run() async throws {
        let body = try self.file.map { try InputFile.bytes($0) } ?? self.content.request()
        let answer = try await self.server.client().call(.put, self.job.path, body: body)
        if self.output.json { return Console.out(answer.text) }
        let job = try answer.decoded(as: JobAnswer.self)
        Console.out(job.paused ? "\(job.id) is paused." : "\(job.id) is due next at \(job.nextAt ?? "no time").")
    }
}
