// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import ArgumentParser
import CommandLineSupport
import Foundation

struct JobsPutCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "put",
        abstract: "Create a job, or replace its definition; an equal definition changes nothing.",
        discussion: """
            apus jobs put com.example.app lessons-ending --cron '* * * * *' --activities LessonAttributes \\
              --instant endsAt --until-seconds 960 --where '{"status":"active"}' --patch '{"status":"ending"}'
            apus jobs put com.example.app nightly --cron '30 2 * * *' --time-zone Europe/Zurich --webhook wh_0123456789abcdef
            apus jobs put com.example.app weekly --file job.json
            A file has the complete request of the API. The options cover simple jobs.
            """
    )

    @OptionGroup var job: JobArguments

    @Option(help: "File with the job as JSON; - is standard input. Excludes all other content options.")
    var file: String?

    @OptionGroup(title: "What") var content: JobContentArguments
    @OptionGroup var server: ServerArguments

    func validate() throws {
        if self.file != nil {
            guard self.content.isEmpty else {
                throw ValidationError("Give either --file, or content options such as --cron.")
            }
        } else {
            try self.content.check()
        }
    }

    func run() async throws {
        let body = try self.file.map { try InputFile.bytes($0) } ?? self.content.request()
        try await self.server.call(.put, self.job.path, body: body) { (job: JobResponse) in job.due }
    }
}

/// The options of a simple job.
struct JobContentArguments: ParsableArguments {
    @Option(help: "Cron expression of five or six fields, or a macro such as @daily.")
    var cron: String?

    @Option(help: "Time zone of --cron. Default: UTC.")
    var timeZone: String?

    @Option(help: "Interval between runs in seconds.")
    var everySeconds: Int?

    @Option(help: "Attributes type of the Live Activities to update or end.")
    var activities: String?

    @Option(help: "Named instant for --until-seconds; activities without it are skipped.")
    var instant: String?

    @Option(help: "Maximum seconds until the instant; activities with a later or past instant are skipped.")
    var untilSeconds: Int?

    @Option(name: .customLong("where"), help: "Members that the content state must have, as JSON.")
    var condition: String?

    @Option(help: "Merge patch of the content state, as JSON.")
    var patch: String?

    @Flag(help: "End the activities.")
    var end = false

    @Option(help: "Campaign whose message each run sends again.")
    var campaign: String?

    @Option(help: "Webhook of the app that each run calls.")
    var webhook: String?

    @Option(help: "Content of the webhook call, as JSON.")
    var body: String?

    var isEmpty: Bool {
        let texts = [
            self.cron, self.timeZone, self.activities, self.instant, self.condition, self.patch, self.campaign,
            self.webhook, self.body,
        ]
        return texts.allSatisfy { $0 == nil } && self.everySeconds == nil && self.untilSeconds == nil && !self.end
    }

    /// Rejects options that exclude each other.
    func check() throws {
        guard (self.cron != nil) != (self.everySeconds != nil) else {
            throw ValidationError("Give --file, or one of --cron and --every-seconds.")
        }
        guard self.timeZone == nil || self.cron != nil else { throw ValidationError("--time-zone requires --cron.") }
        guard [self.activities, self.campaign, self.webhook].count(where: { $0 != nil }) == 1 else {
            throw ValidationError("Give --file, or one of --activities, --campaign and --webhook.")
        }
        let isOfActivities =
            self.instant != nil || self.untilSeconds != nil || self.condition != nil || self.patch != nil || self.end
        guard self.activities != nil || !isOfActivities else {
            throw ValidationError("--instant, --until-seconds, --where, --patch and --end require --activities.")
        }
        guard self.activities == nil || self.patch != nil || self.end else {
            throw ValidationError("--activities requires --patch or --end.")
        }
        guard (self.instant == nil) == (self.untilSeconds == nil) else {
            throw ValidationError("Give both of --instant and --until-seconds, or none.")
        }
        guard self.body == nil || self.webhook != nil else { throw ValidationError("--body requires --webhook.") }
    }

    /// Returns the request that puts the job, as JSON.
    func request() throws -> Data {
        var members: [String: JSONValue] = [:]
        var schedule: [String: JSONValue] = [:]
        if let cron { schedule["cron"] = .string(cron) }
        if let timeZone { schedule["timeZone"] = .string(timeZone) }
        if let everySeconds { schedule["everySeconds"] = .integer(Int64(everySeconds)) }
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
        if let instant, let untilSeconds {
            members["instant"] = ["name": .string(instant), "untilSeconds": .integer(Int64(untilSeconds))]
        }
        return .object(members)
    }
}
