// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import ArgumentParser
import Foundation

/// Changes an activity.
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
