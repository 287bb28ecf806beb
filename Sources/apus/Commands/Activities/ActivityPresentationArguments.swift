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
                guard let (name, time) = text.assignment, !name.isEmpty else {
                    throw ValidationError("--instant has to be NAME=TIME, or NAME= to forget it; got '\(text)'.")
                }
                return (name, time.isEmpty ? nil : time)
            }
        }
    }

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

/// What phones show and sound with a change.
struct ActivityAlertArguments: ParsableArguments {
    @Option(help: "The alert's title.")
    var title: String?

    @Option(help: "The alert's text.")
    var body: String?

    @Option(help: "The alert's sound: default, or a file of the app.")
    var sound: String?

    var isEmpty: Bool { self.title == nil && self.body == nil && self.sound == nil }

    func validate() throws {
        guard (self.title == nil) == (self.body == nil), self.title != nil || self.sound == nil else {
            throw ValidationError("An alert has both --title and --body, and may have a --sound.")
        }
    }

    /// Adds the member `alert` to a request.
    func write(to request: inout JSONWriter) {
        guard let title, let body else { return }
        request.key("alert")
        request.beginObject()
        request.member("title", title)
        request.member("body", body)
        request.member("sound", self.sound)
        request.endObject()
    }
}

extension JSONWriter {
    /// Adds a member with a text; nothing where there is none.
    mutating func member(_ name: String, _ text: String?) {
        guard let text else { return }
        self.key(name)
        self.string(text)
    }

    /// Adds a member with a number; nothing where there is none.
    mutating func member(_ name: String, _ number: Int?) {
        guard let number else { return }
        self.key(name)
        self.integer(number)
    }

    /// Adds a member with an object that is JSON already; nothing where there is none.
    mutating func member(_ name: String, _ object: JSONFragment?) {
        guard let object else { return }
        self.key(name)
        self.raw(object.bytes)
    }
}
