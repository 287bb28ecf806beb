// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import ArgumentParser
import CommandLineSupport
import Foundation

struct SendCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "send",
        abstract: "Send a notification to devices, users or tokens.",
        discussion: """
            apus send com.example.app --device phone-1 --title Hello --body "Dinner is ready" --wait
            apus send com.example.app --user anna --user ben --payload payload.json
            apus send com.example.app --token 4f2a... --environment sandbox --push-type background --payload -

            With --wait, the exit status is 0 only if APNs accepted every notification. Notifications without an \
            outcome after waitTimeoutSeconds (configuration of the server) are still sent.
            """
    )

    @Argument(help: "Bundle ID of the app.")
    var app: String

    @OptionGroup(title: "Targets") var targets: TargetArguments
    @OptionGroup(title: "What") var content: ContentArguments

    @Flag(help: "Wait for the outcomes.")
    var wait = false

    @OptionGroup var server: ServerArguments

    func run() async throws {
        let body = try self.content.request(targets: self.targets)
        let path = "/v1/apps/\(self.app.asPathSegment)/notifications" + (self.wait ? "?wait=true" : "")
        let answer = try await self.server.client().call(.post, path, body: body)
        let report = SendSummary(notification: try answer.decoded(), waited: self.wait)
        if self.server.json { Console.out(answer.text) } else { report.show() }
        if report.hasFailed { throw ExitCode.failure }
    }
}

/// The targets of a notification: devices, users or tokens.
struct TargetArguments: ParsableArguments {
    @Option(help: "Device ID. Repeatable.")
    var device: [String] = []

    @Option(help: "User: sends to all devices of the user. Repeatable.")
    var user: [String] = []

    @Option(help: "Device token, hexadecimal. Repeatable.")
    var token: [String] = []

    @Option(help: "APNs environment of the tokens: sandbox or production. Default: that of the app.")
    var environment: APNsEnvironment?

    func validate() throws {
        guard [self.device, self.user, self.token].count(where: { !$0.isEmpty }) == 1 else {
            throw ValidationError("Name the targets with one of --device, --user and --token.")
        }
        if self.environment != nil, self.token.isEmpty {
            throw ValidationError(
                "--environment requires --token; the server has the environments of devices and "
                    + "users."
            )
        }
    }

    var body: Body {
        Body(
            devices: self.device.isEmpty ? nil : self.device,
            users: self.user.isEmpty ? nil : self.user,
            tokens: self.token.isEmpty ? nil : self.token,
            environment: self.environment
        )
    }

    /// The member `targets` of a send request.
    struct Body: Encodable {
        let devices: [String]?
        let users: [String]?
        let tokens: [String]?
        let environment: APNsEnvironment?
    }
}

/// The output of a command that sends a notification.
struct SendSummary {
    let notification: NotificationResponse

    /// Whether the command has waited for the outcomes.
    let waited: Bool

    /// Whether the command has waited, and targets were not delivered or have no outcome.
    var hasFailed: Bool {
        self.waited
            && (!self.notification.isDone || self.notification.counts.delivered < self.notification.targetCount)
    }

    /// Prints the number of targets without an outcome, the skipped devices, the delivered targets, and the failures.
    func show() {
        let notification = self.notification
        let style = TerminalStyle.standardOutput()
        if !notification.isDone {
            let remaining = "\(notification.remaining) under way"
            Console.out("Accepted \(notification.targetCount) as \(notification.id); \(remaining).")
            if self.waited {
                Console.note("No outcome yet for these; the server continues, and its log has the reason for a delay.")
            }
        }
        if let skipped = notification.skipped {
            let names = (skipped.devices ?? []) + (skipped.users ?? [])
            let more = skipped.count > names.count ? ", ..." : ""
            let text = "Skipped \(skipped.count) without a valid device: \(names.joined(separator: ", "))\(more)"
            Console.out(style.yellow(text.printable))
        }
        guard notification.isDone else { return }
        Console.out(
            "\(notification.counts.delivered) of \(notification.targetCount) accepted by APNs (\(notification.id))"
        )
        for outcome in notification.outcomes ?? notification.failures ?? [] where outcome.state != "delivered" {
            let name = outcome.device ?? outcome.user ?? outcome.apnsID
            let why = [outcome.status.map(String.init), outcome.reason, outcome.code].compactMap(\.self)
            Console.out(style.red("  \(name): \(why.joined(separator: " "))".printable))
        }
    }
}
