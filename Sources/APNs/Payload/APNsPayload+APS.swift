// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

extension APNsPayload {
    /// The payload of an ordinary push: `aps` first, then the app's own keys in the order of their bytes.
    ///
    /// The same values always make the same bytes. `custom` holds the app's own keys, which stand beside `aps`.
    /// - Throws: ``ValidationFailure`` for a number out of its range, or for a custom key named `aps`.
    public init(aps: APS, custom: [String: JSONValue] = [:]) throws(ValidationFailure) {
        try aps.checkRanges()
        var writer = JSONWriter()
        writer.beginObject()
        writer.key("aps")
        writer.aps(aps)
        try writer.customMembers(custom)
        writer.endObject()
        self.init(written: writer.bytes)
    }
}

extension APS {
    fileprivate func checkRanges() throws(ValidationFailure) {
        if let badge = self.badge, badge < 0 {
            throw ValidationFailure(field: "aps.badge", rule: PayloadRule.badge, value: String(badge))
        }
        if let score = self.relevanceScore, !(0...1).contains(score) {
            throw ValidationFailure(field: "aps.relevance-score", rule: "0...1", value: String(score))
        }
        if case .object(_, _, let volume?) = self.sound, !(0...1).contains(volume) {
            throw ValidationFailure(field: "aps.sound.volume", rule: "0...1", value: String(volume))
        }
    }
}

extension JSONWriter {
    /// The app's own keys, behind the member `aps`.
    mutating func customMembers(_ custom: [String: JSONValue]) throws(ValidationFailure) {
        guard custom["aps"] == nil else {
            throw ValidationFailure(field: "aps", rule: "a custom key beside aps", value: "aps itself")
        }
        try self.members(custom, field: nil)
    }

    fileprivate mutating func aps(_ aps: APS) {
        self.beginObject()
        self.alert(aps.alert)
        self.member("badge", integer: aps.badge)
        self.sound(aps.sound)
        self.member("thread-id", string: aps.threadID)
        self.member("category", string: aps.category)
        self.member("content-available", flag: aps.contentAvailable)
        self.member("mutable-content", flag: aps.mutableContent)
        self.member("target-content-id", string: aps.targetContentID)
        self.member("interruption-level", string: aps.interruptionLevel?.rawValue)
        self.member("relevance-score", double: aps.relevanceScore)
        self.member("filter-criteria", string: aps.filterCriteria)
        if aps.contentChanged {
            self.key("content-changed")
            self.bool(true)
        }
        self.member("url-args", strings: aps.urlArguments)
        self.endObject()
    }

    private mutating func alert(_ alert: Alert?) {
        switch alert {
        case nil: break
        case .text(let text): self.member("alert", string: text)
        case .content(let content):
            self.key("alert")
            self.beginObject()
            self.text(content.title, plain: "title", prefix: "title-")
            self.text(content.subtitle, plain: "subtitle", prefix: "subtitle-")
            self.text(content.body, plain: "body", prefix: "")
            self.member("launch-image", string: content.launchImage)
            self.member("summary-arg", string: content.summaryArgument)
            self.member("summary-arg-count", integer: content.summaryArgumentCount)
            self.member("action-loc-key", string: content.actionKey)
            self.member("action", string: content.action)
            self.endObject()
        }
    }

    private mutating func text(_ text: AlertText?, plain: String, prefix: String) {
        switch text {
        case nil: break
        case .plain(let text): self.member(plain, string: text)
        case .localized(let key, let arguments):
            self.member("\(prefix)loc-key", string: key)
            self.member("\(prefix)loc-args", strings: arguments.isEmpty ? nil : arguments)
        }
    }

    private mutating func sound(_ sound: Sound?) {
        switch sound {
        case nil: break
        case .named(let name): self.member("sound", string: name)
        case .object(let name, let critical, let volume):
            self.key("sound")
            self.beginObject()
            self.member("critical", flag: critical)
            self.member("name", string: name)
            self.member("volume", double: volume)
            self.endObject()
        }
    }
}
