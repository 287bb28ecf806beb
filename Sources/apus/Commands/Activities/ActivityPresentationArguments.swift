// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import ArgumentParser

/// The presentation of the content of an activity on devices, and its named instants.
struct ActivityPresentationArguments: ParsableArguments {
    @Option(help: "Stale date of the content, such as 2036-03-20T09:00:00Z.")
    var staleDate: String?

    @Option(help: "Relevance score: the system shows the activity with the highest score first.")
    var relevanceScore: Double?

    @Option(help: "Priority: 10 immediately, which counts towards Apple's hourly budget, or 5. Default: 10.")
    var priority: Int?

    @Option(help: "Named instant as NAME=2036-03-20T09:00:00Z; NAME= removes it. Repeatable.")
    var instant: [String] = []

    var isEmpty: Bool {
        self.staleDate == nil && self.relevanceScore == nil && self.priority == nil && self.instant.isEmpty
    }

    func validate() throws {
        guard self.priority == nil || self.priority == 5 || self.priority == 10 else {
            throw ValidationError("--priority: expected 5 or 10.")
        }
        guard self.relevanceScore?.isFinite ?? true else {
            throw ValidationError("--relevance-score: expected a finite number.")
        }
        guard Set(try self.instants.map(\.name)).count == self.instant.count else {
            throw ValidationError("Each --instant needs a different name.")
        }
    }

    private var instants: [(name: String, time: String?)] {
        get throws {
            try self.instant.map { text in
                guard let (name, time) = text.assignment, !name.isEmpty else {
                    throw ValidationError("--instant: expected NAME=TIME, or NAME= to remove it; got '\(text)'.")
                }
                return (name, time.isEmpty ? nil : time)
            }
        }
    }

    func write(to request: inout JSONWriter) throws {
        request.member("staleDate", self.staleDate)
        if let relevanceScore {
            request.key("relevanceScore")
            request.double(relevanceScore)
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

/// The alert of a change.
struct ActivityAlertArguments: ParsableArguments {
    @Option(help: "Title of the alert.")
    var title: String?

    @Option(help: "Body of the alert.")
    var body: String?

    @Option(help: "Sound of the alert: default, or a file of the app.")
    var sound: String?

    var isEmpty: Bool { self.title == nil && self.body == nil && self.sound == nil }

    func validate() throws {
        guard (self.title == nil) == (self.body == nil), self.title != nil || self.sound == nil else {
            throw ValidationError("An alert requires --title and --body; --sound is optional.")
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
    /// Adds a member with a string; adds nothing if it is `nil`.
    mutating func member(_ name: String, _ text: String?) {
        guard let text else { return }
        self.key(name)
        self.string(text)
    }

    /// Adds a member with a number; adds nothing if it is `nil`.
    mutating func member(_ name: String, _ number: Int?) {
        guard let number else { return }
        self.key(name)
        self.integer(number)
    }

    /// Adds a member with an object that is JSON text; adds nothing if it is `nil`.
    mutating func member(_ name: String, _ object: RawJSONObject?) {
        guard let object else { return }
        self.key(name)
        self.raw(object.bytes)
    }
}
