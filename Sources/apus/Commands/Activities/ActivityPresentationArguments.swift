// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import ArgumentParser

/// How phones present the content of an activity, and its named instants.
struct ActivityPresentationArguments: ParsableArguments {
    @Option(help: "When the content counts as out of date, such as 2036-03-20T09:00:00Z.")
    var staleAt: String?

    @Option(help: "The activity with the highest number is shown first.")
    var relevance: Double?

    @Option(help: "10 at once, which counts towards Apple's hourly budget, or 5. Default: 10.")
    var priority: Int?

    @Option(help: "A named instant as NAME=2036-03-20T09:00:00Z; NAME= forgets it. May be given several times.")
    var instant: [String] = []

    /// Whether none of them is given.
    var isEmpty: Bool {
        self.staleAt == nil && self.relevance == nil && self.priority == nil && self.instant.isEmpty
    }

    func validate() throws {
        guard self.priority == nil || self.priority == 5 || self.priority == 10 else {
            throw ValidationError("--priority has to be 5 or 10.")
        }
        guard self.relevance?.isFinite ?? true else { throw ValidationError("--relevance has to be a finite number.") }
        guard Set(try self.instants.map(\.name)).count == self.instant.count else {
            throw ValidationError("Each --instant has to have a name of its own.")
        }
    }

    private var instants: [(name: String, time: String?)] {
        get throws {
            try self.instant.map { text in
                let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
                guard parts.count == 2, !parts[0].isEmpty else {
                    throw ValidationError("--instant has to be NAME=TIME, or NAME= to forget it; got '\(text)'.")
                }
                return (String(parts[0]), parts[1].isEmpty ? nil : String(parts[1]))
            }
        }
    }

    /// Adds the members to a request.
    func write(to request: inout JSONWriter) throws {
        request.member("staleDate", self.staleAt)
        if let relevance {
            request.key("relevanceScore")
            request.double(relevance)
        }
        request.member("priority", self.priority)
        guard !self.instant.isEmpty else { return }
        request.key("instants")
        request.beginObject()
        for (name, time) in try self.instants {
            request.key(name)
            if let time { request.string(time) } else { request.null() }
        }
        request.endObject()
    }
}
