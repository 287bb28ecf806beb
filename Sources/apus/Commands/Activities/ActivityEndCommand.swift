// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import ArgumentParser
import CommandLineSupport
import Foundation

struct ActivityEndCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "end",
        abstract: "End a Live Activity, with a last content state if you like.",
        discussion: """
            apus activity end com.example.app lesson-42 --patch '{"status":"over"}' --after 300
            apus activity end com.example.app lesson-42 --immediate
            Without --immediate, --at and --after it leaves the Lock Screen when the system likes, within 4 hours.
            """
    )

    @OptionGroup var activity: ActivityArguments
    @OptionGroup(title: "What phones show last") var change: ActivityChangeArguments

    @Flag(help: "It leaves the Lock Screen at once.")
    var immediate = false

    @Option(help: "When it leaves the Lock Screen, such as 2036-03-20T09:00:00Z; within 4 hours.")
    var at: String?

    @Option(help: "After how many seconds it leaves the Lock Screen, at most 14400.")
    var after: Int?

    @Option(help: "10 at once, which counts towards Apple's hourly budget, or 5. Default: 10.")
    var priority: Int?

    @OptionGroup(title: "Budget") var budget: ActivityBudgetArguments
    @OptionGroup var call: ActivityCallArguments

    func validate() throws {
        guard [self.immediate, self.at != nil, self.after != nil].count(where: \.self) <= 1 else {
            throw ValidationError("Give at most one of --immediate, --at and --after.")
        }
        guard self.priority == nil || self.priority == 5 || self.priority == 10 else {
            throw ValidationError("--priority has to be 5 or 10.")
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
        request.member("after", self.after)
        request.endObject()
        request.endObject()
        return Data(request.bytes)
    }
}
