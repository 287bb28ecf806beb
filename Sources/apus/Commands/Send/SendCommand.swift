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
        let notification = try answer.decoded(as: NotificationAnswer.self)
        if self.output.json { Console.out(answer.text) } else { self.report(notification) }
        if self.wait, !notification.isDone || notification.counts.delivered < notification.targetCount {
            throw ExitCode.failure
        }
    }

    private func report(_ notification: NotificationAnswer) {
        let style = Style.standardOutput()
        if !notification.isDone {
            let remaining = "\(notification.remaining) under way"
            Console.out("Accepted \(notification.targetCount) as \(notification.id); \(remaining).")
            if self.wait {
                Console.note("No outcome yet for these; the server goes on, and its log says what keeps it from APNs.")
            }
        }
        if let skipped = notification.skipped {
            let names = (skipped.devices ?? []) + (skipped.users ?? [])
            Console.out(
                style.yellow("Skipped \(skipped.count) without a valid device: \(names.joined(separator: ", "))")
            )
        }
        guard notification.isDone else { return }
        Console.out(
            "\(notification.counts.delivered) of \(notification.targetCount) accepted by APNs (\(notification.id))"
        )
        for outcome in notification.outcomes ?? notification.failures ?? [] where outcome.state != "delivered" {
            let why = [outcome.status.map(String.init), outcome.reason, outcome.code].compactMap(\.self)
            Console.out(style.red("  \(outcome.device ?? outcome.apnsID): \(why.joined(separator: " "))"))
        }
    }
}
