// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// The body of a push: one JSON object, ready for the wire.
///
/// Its size is not limited here, because the limit depends on the push type; see
/// ``NotificationHeaders/validate(payload:)``.
public struct APNsPayload: Hashable, Sendable {
    /// The object as compact or given JSON in UTF-8, exactly as it will be sent.
    public let bytes: [UInt8]

    /// A payload that is JSON already; it is checked and passed on byte for byte.
    /// - Throws: ``InvalidValueError`` for `payload`, with the byte offset, unless the bytes are a JSON object.
    public init(json bytes: [UInt8]) throws(InvalidValueError) {
        do {
            try JSONScanner.validateObject(bytes)
        } catch {
            throw InvalidValueError(error, field: "payload")
        }
        self.bytes = bytes
    }

    /// A payload that an older version may have stored; see ``JSONScanner/repairedObject(_:)``.
    /// - Throws: ``InvalidValueError`` for `payload` unless the bytes are a JSON object.
    package init(storedJSON bytes: [UInt8]) throws(InvalidValueError) {
        do {
            self.bytes = try JSONScanner.repairedObject(bytes)
        } catch {
            throw InvalidValueError(error, field: "payload")
        }
    }

    /// A payload that is JSON already, as text.
    /// - Throws: ``InvalidValueError`` for `payload`, with the byte offset, unless the text is a JSON object.
    public init(json text: String) throws(InvalidValueError) {
        try self.init(json: Array(text.utf8))
    }

    /// A payload without `aps`, such as those of VoIP, File Provider and MDM.
    /// - Throws: ``InvalidValueError`` for a number that is not finite.
    public init(object members: [String: JSONValue]) throws(InvalidValueError) {
        self.bytes = try JSONValue.object(members).json()
    }

    /// The size in bytes that APNs limits.
    public var size: Int { self.bytes.count }

    /// The payload as text.
    public var text: String { String(decoding: self.bytes, as: UTF8.self) }

    /// A payload of bytes that this module wrote.
    init(written bytes: [UInt8]) { self.bytes = bytes }
}

extension APNsPayload: Codable {
    /// Reads a payload from its JSON text, which an older version may have stored.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        do {
            try self.init(storedJSON: Array(container.decode(String.self).utf8))
        } catch let failure as InvalidValueError {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: failure.message)
        }
    }

    /// Writes the JSON text.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(self.text)
    }
}

extension APNsPayload: CustomStringConvertible {
    /// Only the size: the content for users must not be in a log.
    public var description: String { "payload of \(self.size) bytes" }
}

extension APNsPayload {
    /// Creates the payload of an ordinary push: `aps` first, then the custom keys in the order of their bytes.
    ///
    /// Equal values always result in equal bytes. `custom` has the keys next to `aps`.
    /// - Throws: ``InvalidValueError`` for a number out of its range, or for a custom key named `aps`.
    public init(aps: APS, custom: [String: JSONValue] = [:]) throws(InvalidValueError) {
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
    fileprivate func checkRanges() throws(InvalidValueError) {
        if let badge = self.badge, badge < 0 {
            throw InvalidValueError(field: "aps.badge", rule: PayloadRule.badge, value: String(badge))
        }
        if let score = self.relevanceScore, !(0...1).contains(score) {
            throw InvalidValueError(field: "aps.relevance-score", rule: "0...1", value: String(score))
        }
        if case .object(_, _, let volume?) = self.sound, !(0...1).contains(volume) {
            throw InvalidValueError(field: "aps.sound.volume", rule: "0...1", value: String(volume))
        }
    }
}

extension JSONWriter {
    /// The app's own keys, behind the member `aps`.
    mutating func customMembers(_ custom: [String: JSONValue]) throws(InvalidValueError) {
        guard custom["aps"] == nil else {
            throw InvalidValueError(field: "aps", rule: "a custom key other than aps", value: "aps itself")
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

extension APNsPayload {
    /// Creates the payload of a Live Activity push: `aps` first, then the custom keys in the order of their bytes.
    ///
    /// Equal values always result in equal bytes. `custom` has the keys next to `aps`.
    /// - Throws: ``InvalidValueError`` for a number that is not finite, or for a custom key named `aps`.
    public init(
        liveActivity event: LiveActivityEvent,
        custom: [String: JSONValue] = [:]
    ) throws(InvalidValueError) {
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
    fileprivate mutating func start(_ start: LiveActivityStart) throws(InvalidValueError) {
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

    fileprivate mutating func update(_ update: LiveActivityUpdate) throws(InvalidValueError) {
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

    private mutating func relevance(_ score: Double?) throws(InvalidValueError) {
        guard let score else { return }
        guard score.isFinite else {
            throw InvalidValueError(field: "aps.relevance-score", rule: "a finite number", value: score.description)
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
