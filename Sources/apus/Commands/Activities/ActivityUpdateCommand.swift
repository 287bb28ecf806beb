// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import ArgumentParser
import CommandLineSupport
import Foundation

struct ActivityUpdateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "update",
        abstract: "Update the content of a Live Activity.",
        discussion: """
            apus activity update com.example.app lesson-42 --patch '{"status":"ending"}' --priority 5
            apus activity update com.example.app lesson-42 --state @state.json --title Soon --body "Five minutes left"
            apus activity update com.example.app lesson-42 --instant endsAt=2036-03-20T09:15:00Z
            apus activity update com.example.app lesson-42 --file change.json
            A file has the complete request of the API. Values without an option or member do not change.
            """
    )

    @OptionGroup var activity: ActivityArguments

    @Option(help: "File with the change as JSON; - is standard input. Excludes all other content options.")
    var file: String?

    @OptionGroup(title: "What") var change: ActivityChangeArguments

    @Option(help: "Seconds until the content is stale.")
    var staleAfterSeconds: Int?

    @OptionGroup(title: "How it is shown") var presentation: ActivityPresentationArguments
    @OptionGroup(title: "Budget") var budget: ActivityBudgetArguments
    @OptionGroup var call: ActivityCallArguments

    func validate() throws {
        let isEmpty = self.change.isEmpty && self.staleAfterSeconds == nil && self.presentation.isEmpty
        guard self.file == nil || isEmpty && self.budget.budget == nil else {
            throw ValidationError("Give either --file, or content options such as --state.")
        }
        guard self.file != nil || !isEmpty else {
            throw ValidationError("Give --file, or content options such as --state.")
        }
        guard self.staleAfterSeconds == nil || self.presentation.staleDate == nil else {
            throw ValidationError("Give either --stale-after-seconds or --stale-date.")
        }
    }

    func run() async throws {
        let body = try self.file.map { try InputFile.bytes($0) } ?? self.request()
        try await self.call.make(.patch, self.budget.path(self.activity.path), body: body)
    }

    private func request() throws -> Data {
        var request = JSONWriter()
        request.beginObject()
        try self.change.write(to: &request)
        request.member("staleAfterSeconds", self.staleAfterSeconds)
        try self.presentation.write(to: &request)
        self.budget.write(to: &request)
        request.endObject()
        return Data(request.bytes)
    }
}

/// The content options of an update or an end of an activity.
struct ActivityChangeArguments: ParsableArguments {
    @Option(help: "Complete content state, \(JSONArgument.form).")
    var state: String?

    @Option(help: "Merge patch of the content state, \(JSONArgument.form); null removes a member.")
    var patch: String?

    @OptionGroup(title: "Alert") var alert: ActivityAlertArguments

    var isEmpty: Bool { self.state == nil && self.patch == nil && self.alert.isEmpty }

    func validate() throws {
        guard self.state == nil || self.patch == nil else {
            throw ValidationError("Give either --state or --patch.")
        }
    }

    func write(to request: inout JSONWriter) throws {
        request.member("contentState", try self.state.map { try JSONArgument.fragment($0, of: "--state") })
        request.member("patch", try self.patch.map { try JSONArgument.fragment($0, of: "--patch") })
        self.alert.write(to: &request)
    }
}

/// The policy for priority-10 pushes over the budgets of devices.
struct ActivityBudgetArguments: ParsableArguments {
    @Option(
        help: """
            Policy for priority-10 pushes over the hourly budget: warn, downgrade (send with priority 5) or reject. \
            Default: warn.
            """
    )
    var budget: String?

    @Flag(help: "Change nothing; report the budget that the change would use.")
    var dryRun = false

    func validate() throws {
        guard ["warn", "downgrade", "reject"].contains(self.budget ?? "warn") else {
            throw ValidationError("--budget: expected warn, downgrade or reject, got '\(self.budget ?? "")'.")
        }
    }

    func path(_ path: String) -> String { self.dryRun ? "\(path)?dryRun=true" : path }

    func write(to request: inout JSONWriter) { request.member("budget", self.budget) }
}
