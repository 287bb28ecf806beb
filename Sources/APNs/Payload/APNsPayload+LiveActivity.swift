// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

extension APNsPayload {
    /// The payload of a Live Activity push: `aps` first, then the app's own keys in the order of their bytes.
    ///
    /// The same values always make the same bytes. `custom` holds the app's own keys, which stand beside `aps`.
    /// - Throws: ``ValidationFailure`` for a number that is not finite, or for a custom key named `aps`.
    public init(
        liveActivity event: LiveActivityEvent,
        custom: [String: JSONValue] = [:]
    ) throws(ValidationFailure) {
        var writer = JSONWriter()
        writer.beginObject()
        writer.key("aps")
        writer.beginObject()
        switch event {
        case .start(let start): try writer.start(start)
        case .update(let update): try writer.update(update)
        case .end(let end): writer.end(end)
        }
        writer.endObject()
        try writer.customMembers(custom)
        writer.endObject()
        self.init(written: writer.bytes)
    }
}

extension JSONWriter {
    fileprivate mutating func start(_ start: LiveActivityStart) throws(ValidationFailure) {
        self.member("timestamp", integer: start.timestamp)
        self.member("event", string: "start")
        self.member("content-state", json: start.contentState)
        self.member("attributes-type", string: start.attributesType)
        self.member("attributes", json: start.attributes)
        self.alert(start.alert)
        self.member("stale-date", integer: start.staleDate)
        try self.relevance(start.relevanceScore)
        switch start.input {
        case nil: break
        case .token: self.member("input-push-token", flag: true)
        case .channel(let id): self.member("input-push-channel", string: id)
        }
    }

    fileprivate mutating func update(_ update: LiveActivityUpdate) throws(ValidationFailure) {
        self.member("timestamp", integer: update.timestamp)
        self.member("event", string: "update")
        self.member("content-state", json: update.contentState)
        self.alert(update.alert)
        self.member("stale-date", integer: update.staleDate)
        try self.relevance(update.relevanceScore)
    }

    fileprivate mutating func end(_ end: LiveActivityEnd) {
        self.member("timestamp", integer: end.timestamp)
        self.member("event", string: "end")
        self.member("content-state", json: end.contentState)
        self.alert(end.alert)
        self.member("dismissal-date", integer: end.dismissalDate)
    }

    private mutating func relevance(_ score: Double?) throws(ValidationFailure) {
        guard let score else { return }
        guard score.isFinite else {
            throw ValidationFailure(field: "aps.relevance-score", rule: "a finite number", value: score.description)
        }
        self.member("relevance-score", double: score)
    }

    private mutating func alert(_ alert: LiveActivityAlert?) {
        guard let alert else { return }
        self.key("alert")
        self.beginObject()
        self.text("title", alert.title)
        self.text("body", alert.body)
        self.member("sound", string: alert.sound)
        self.endObject()
    }

    private mutating func text(_ name: String, _ text: AlertText) {
        self.key(name)
        switch text {
        case .plain(let text): self.string(text)
        case .localized(let key, let arguments):
            self.beginObject()
            self.member("loc-key", string: key)
            self.member("loc-args", strings: arguments.isEmpty ? nil : arguments)
            self.endObject()
        }
    }
}
