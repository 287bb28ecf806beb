// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import ArgumentParser
import Foundation

/// Creates a campaign.
struct CampaignCreateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "create",
        abstract: "Create a campaign, which starts by itself.",
        discussion: """
            apus campaign create com.example.app --file campaign.json --watch
            apus campaign create com.example.app --topic news --title Hello --body "It is out" --throttle 1000
            apus campaign create com.example.app --audience '{"locale":"de"}' --title Hallo --local 2036-03-20T09:00
            A file holds the whole campaign as the API takes it; the flags are for what is simple.

            With --watch the exit status is 0 when the campaign has finished. With 3 it was \
            created, but not watched to its end: do not create it again. With 1 it ended in another way, or the server \
            has not said that it created one.
            """
    )

    @Argument(help: "The app's bundle identifier.")
    var app: String

    @Option(help: "A file with the campaign as JSON; - is standard input. Then no flag says what it is.")
    var file: String?

    @OptionGroup(title: "What") var content: CampaignContentArguments

    @Option(help: "Creates it once, however often it is repeated under this name within 24 hours.")
    var idempotencyKey: String?

    @Flag(help: "Watch it until its end.")
    var watch = false

    @OptionGroup var patience: PatienceArguments
    @OptionGroup var server: ServerArguments
    @OptionGroup var output: OutputArguments

    func validate() throws {
        if self.file != nil {
            guard self.content.isEmpty else {
                throw ValidationError("Give either --file, or flags that say what to send.")
            }
        } else {
            try self.content.check()
        }
    }

    func run() async throws {
        let client = try self.server.client()
        let body = try self.file.map { try InputFile.bytes($0) } ?? self.content.request()
        let answer = try await client.call(
            .post,
            "/v1/apps/\(self.app.asPathSegment)/campaigns",
            body: body,
            headers: self.idempotencyKey.map { ["Idempotency-Key": $0] } ?? [:]
        )
        let campaign = try answer.decoded(as: CampaignAnswer.self)
        if self.output.json {
            Console.out(answer.text)
        } else {
            Console.out("Created \(campaign.id): \(campaign.progress.state).")
        }
        guard self.watch else { return }
        let watch = CampaignWatch(
            client: client,
            app: self.app,
            campaign: campaign.id,
            isMade: true,
            patience: self.patience.duration,
            asJSON: self.output.json
        )
        try await watch.run()
    }
}
