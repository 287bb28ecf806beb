// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import ArgumentParser
import CommandLineSupport
import Foundation

struct ActivityEndCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "end",
        abstract: "End a Live Activity, optionally with a final content state.",
        discussion: """
            apus activity end com.example.app lesson-42 --patch '{"status":"over"}' --after-seconds 300
            apus activity end com.example.app lesson-42 --immediate
            Without --immediate, --at and --after-seconds, the system removes it from the Lock Screen within 4 hours.
            """
    )

    @OptionGroup var activity: ActivityArguments
    @OptionGroup(title: "Final content") var change: ActivityChangeArguments

    @Flag(help: "Remove the activity from the Lock Screen immediately.")
    var immediate = false

    @Option(help: "Dismissal date, such as 2036-03-20T09:00:00Z; at most 4 hours ahead.")
    var at: String?

    @Option(help: "Seconds until the dismissal, at most 14400.")
    var afterSeconds: Int?

    @Option(help: "Priority: 10 immediately, which counts towards Apple's hourly budget, or 5. Default: 10.")
    var priority: Int?

    @OptionGroup(title: "Budget") var budget: ActivityBudgetArguments
    @OptionGroup var call: ActivityCallArguments

    func validate() throws {
        guard [self.immediate, self.at != nil, self.afterSeconds != nil].count(where: \.self) <= 1 else {
            throw ValidationError("Give at most one of --immediate, --at and --after-seconds.")
        }
        guard self.priority == nil || self.priority == 5 || self.priority == 10 else {
            throw ValidationError("--priority: expected 5 or 10.")
        }
    }

    func run() async throws {
        try await self.call.make(.patch, self.budget.path(self.activity.path), body: try self.request())
    }

    private func request() throws -> Data {
        var request = JSONWriter()
        request.beginObject()
        try self.change.write(to: &request)
        request.member("priority", self.priority)
        self.budget.write(to: &request)
        request.key("end")
        request.beginObject()
        request.member("dismissal", self.immediate ? "immediate" : nil)
        request.member("at", self.at)
        request.member("afterSeconds", self.afterSeconds)
        request.endObject()
        request.endObject()
        return Data(request.bytes)
    }
}
