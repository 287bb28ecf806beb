// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import ArgumentParser
import CommandLineSupport
import Foundation

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
        try await self.server.call(.put, self.job.path, body: body) { (job: JobAnswer) in job.due }
    }
}

/// A simple job in flags.
struct JobContentArguments: ParsableArguments {
    @Option(help: "When, as a cron expression of five or six fields, or a macro such as @daily.")
    var cron: String?

    @Option(help: "The time zone whose clocks count, for --cron. Default: UTC.")
    var timeZone: String?

    @Option(help: "When, as seconds from one run to the next.")
    var every: Int?

    @Option(help: "Change the Live Activities of this attributes type.")
    var activities: String?

    @Option(help: "Only those with this named instant, for --within.")
    var instant: String?

    @Option(help: "Only those whose instant is less than so many seconds ahead, and has not passed.")
    var within: Int?

    @Option(name: .customLong("where"), help: "Only those whose content state has these members, as JSON.")
    var condition: String?

    @Option(help: "The merge patch of their content state, as JSON.")
    var patch: String?

    @Flag(help: "End them.")
    var end = false

    @Option(help: "Send this campaign anew each time.")
    var campaign: String?

    @Option(help: "Call this webhook of the app.")
    var webhook: String?

    @Option(help: "What the receiver of the webhook gets, as JSON.")
    var body: String?

    var isEmpty: Bool {
        let texts = [
            self.cron, self.timeZone, self.activities, self.instant, self.condition, self.patch, self.campaign,
            self.webhook, self.body,
        ]
        return texts.allSatisfy { $0 == nil } && self.every == nil && self.within == nil && !self.end
    }

    /// Refuses flags that do not belong together.
    func check() throws {
        guard (self.cron != nil) != (self.every != nil) else {
            throw ValidationError("Give --file, or one of --cron and --every.")
        }
        guard self.timeZone == nil || self.cron != nil else { throw ValidationError("--time-zone belongs to --cron.") }
        guard [self.activities, self.campaign, self.webhook].count(where: { $0 != nil }) == 1 else {
            throw ValidationError("Give --file, or one of --activities, --campaign and --webhook.")
        }
        let isOfActivities =
            self.instant != nil || self.within != nil || self.condition != nil || self.patch != nil || self.end
        guard self.activities != nil || !isOfActivities else {
            throw ValidationError("--instant, --within, --where, --patch and --end belong to --activities.")
        }
        guard self.activities == nil || self.patch != nil || self.end else {
            throw ValidationError("Say by --patch or --end what is to change about the activities.")
        }
        guard (self.instant == nil) == (self.within == nil) else {
            throw ValidationError("--instant and --within belong together.")
        }
        guard self.body == nil || self.webhook != nil else { throw ValidationError("--body belongs to --webhook.") }
    }

    /// The request to put it, as JSON.
    func request() throws -> Data {
        var members: [String: JSONValue] = [:]
        var schedule: [String: JSONValue] = [:]
        if let cron { schedule["cron"] = .string(cron) }
        if let timeZone { schedule["timeZone"] = .string(timeZone) }
        if let every { schedule["every"] = .integer(Int64(every)) }
        members["schedule"] = .object(schedule)
        if let activities { members["activities"] = try self.change(of: activities) }
        if let campaign { members["campaign"] = .string(campaign) }
        if let webhook {
            var call: [String: JSONValue] = ["webhook": .string(webhook)]
            if let body { call["body"] = try JSONValue(text: body.utf8, of: "--body") }
            members["webhook"] = .object(call)
        }
        return Data(try JSONValue.object(members).json())
    }

    private func change(of type: String) throws -> JSONValue {
        var change: [String: JSONValue] = [:]
        if let patch { change["patch"] = try JSONValue(text: patch.utf8, of: "--patch") }
        if self.end { change["end"] = [:] }
        var members: [String: JSONValue] = ["attributesType": .string(type), "change": .object(change)]
        if let condition { members["where"] = try JSONValue(text: condition.utf8, of: "--where") }
        if let instant, let within {
            members["instant"] = ["name": .string(instant), "until": .integer(Int64(within))]
        }
        return .object(members)
    }
}
