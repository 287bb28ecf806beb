// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import ArgumentParser
import CommandLineSupport
import Foundation

struct ActivityUpdateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "update",
        abstract: "Change what phones show of a Live Activity.",
        discussion: """
            apus activity update com.example.app lesson-42 --patch '{"status":"ending"}' --priority 5
            apus activity update com.example.app lesson-42 --state @state.json --title Soon --body "Five minutes left"
            apus activity update com.example.app lesson-42 --instant endsAt=2036-03-20T09:15:00Z
            apus activity update com.example.app lesson-42 --file change.json
            A file holds the whole change as the API takes it. What is not named stays as it is.
            """
    )

    @OptionGroup var activity: ActivityArguments

    @Option(help: "A file with the change as JSON; - is standard input. Then no flag says what it is.")
    var file: String?

    @OptionGroup(title: "What") var change: ActivityChangeArguments

    @Option(help: "After how many seconds the content counts as out of date.")
    var staleAfter: Int?

    @OptionGroup(title: "How it is shown") var presentation: ActivityPresentationArguments
    @OptionGroup(title: "Budget") var budget: ActivityBudgetArguments
    @OptionGroup var call: ActivityCallArguments

    func validate() throws {
        let isEmpty = self.change.isEmpty && self.staleAfter == nil && self.presentation.isEmpty
        guard self.file == nil || isEmpty && self.budget.budget == nil else {
            throw ValidationError("Give either --file, or flags that say what changes.")
        }
        guard self.file != nil || !isEmpty else { throw ValidationError("Say what changes, or give --file.") }
        guard self.staleAfter == nil || self.presentation.staleAt == nil else {
            throw ValidationError("Give either --stale-after or --stale-at.")
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
        request.member("staleAfter", self.staleAfter)
        try self.presentation.write(to: &request)
        self.budget.write(to: &request)
        request.endObject()
        return Data(request.bytes)
    }
}

/// What is to change about an activity, whether it goes on or ends.
struct ActivityChangeArguments: ParsableArguments {
    @Option(help: "The whole content state, \(JSONObjectInput.form).")
    var state: String?

    @Option(help: "A merge patch of the content state, \(JSONObjectInput.form); null removes a member.")
    var patch: String?

    @OptionGroup(title: "Alert") var alert: ActivityAlertArguments

    var isEmpty: Bool { self.state == nil && self.patch == nil && self.alert.isEmpty }

    func validate() throws {
        guard self.state == nil || self.patch == nil else {
            throw ValidationError("Give either --state or --patch.")
        }
    }

    func write(to request: inout JSONWriter) throws {
        request.member("contentState", try self.state.map { try JSONObjectInput.fragment($0, of: "--state") })
        request.member("patch", try self.patch.map { try JSONObjectInput.fragment($0, of: "--patch") })
        self.alert.write(to: &request)
    }
}

/// What becomes of pushes of priority 10 for which phones have no room in their budgets.
struct ActivityBudgetArguments: ParsableArguments {
    @Option(
        help: """
            What becomes of pushes of priority 10 beyond the hourly budget of a phone: warn tells of them, lower sends them \
            with priority 5, refuse changes nothing. Default: warn.
            """
    )
    var budget: String?

    @Flag(help: "Change nothing, and tell what it would cost.")
    var dryRun = false

    func validate() throws {
        guard ["warn", "lower", "refuse"].contains(self.budget ?? "warn") else {
            throw ValidationError("--budget has to be warn, lower or refuse.")
        }
    }

    func path(_ path: String) -> String { self.dryRun ? "\(path)?dryRun=true" : path }

    func write(to request: inout JSONWriter) { request.member("budget", self.budget) }
}
