// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import ArgumentParser
import Foundation

/// Sends a notification through a server.
struct SendCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "send",
        abstract: "Send a notification to devices, users or tokens.",
        discussion: """
            apus send com.example.app --device phone-1 --title Hello --body "Dinner is ready" --wait
            apus send com.example.app --user anna --user ben --payload payload.json
            apus send com.example.app --token 4f2a... --environment sandbox --push-type background --payload -

            With --wait the exit status is 0 only when APNs took every notification. The server goes on with those \
            that have no outcome when its patience ends (waitSeconds of its configuration).
            """
    )

    @Argument(help: "The app's bundle identifier.")
    var app: String

    @OptionGroup(title: "Whom to") var targets: TargetArguments
    @OptionGroup(title: "What") var content: ContentArguments

    @Flag(help: "Wait for the outcomes.")
    var wait = false

    @OptionGroup var server: ServerArguments
    @OptionGroup var output: OutputArguments

    func run() async throws {
        let body = try self.content.request(targets: self.targets)
        let path = "/v1/apps/\(self.app.asPathSegment)/notifications" + (self.wait ? "?wait=true" : "")
        let answer = try await self.server.client().call(.post, path, body: body)
        let report = SendingReport(notification: try answer.decoded(), waited: self.wait)
        if self.output.json { Console.out(answer.text) } else { report.show() }
        if report.hasFailed { throw ExitCode.failure }
    }
}
