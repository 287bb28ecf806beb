// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import ArgumentParser

/// What phones show and sound with a change.
struct ActivityAlertArguments: ParsableArguments {
    @Option(help: "The alert's title.")
    var title: String?

    @Option(help: "The alert's text.")
    var body: String?

    @Option(help: "The alert's sound: default, or a file of the app.")
    var sound: String?

    /// Whether there is none.
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
