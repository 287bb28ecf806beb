// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs

/// The member `notification` of a request to send: the usual keys of `aps` without Apple's spelling.
struct AlertDraft {
    static let members = [
        "title", "subtitle", "body", "badge", "sound", "threadID", "category", "contentAvailable", "mutableContent",
        "targetContentID", "interruptionLevel", "relevanceScore", "filterCriteria", "data",
    ]

    private static let levels: [InterruptionLevel] = [.passive, .active, .timeSensitive, .critical]

    private var content = AlertContent()
    private var aps = APS()
    private var custom: [String: JSONValue] = [:]

    /// Reads the object; whatever is wrong is noted.
    static func read(_ reader: inout JSONReader, _ path: FieldPath) throws(JSONSyntaxError) -> APNsPayload? {
        var draft = AlertDraft()
        try reader.object(path, members: self.members) { reader, member, path throws(JSONSyntaxError) in
            switch member {
            case "title": draft.content.title = try reader.string(path).map(AlertText.plain)
            case "subtitle": draft.content.subtitle = try reader.string(path).map(AlertText.plain)
            case "body": draft.content.body = try reader.string(path).map(AlertText.plain)
            case "data": draft.custom = try self.data(&reader, path)
            default: try draft.readMember(member, &reader, path)
            }
        }
        return draft.payload(&reader, path)
    }

    private mutating func readMember(
        _ member: String,
        _ reader: inout JSONReader,
        _ path: FieldPath
    ) throws(JSONSyntaxError) {
        switch member {
        case "badge": self.aps.badge = try reader.integer(path, in: 0...Int(Int32.max))
        case "sound": self.aps.sound = try reader.string(path, bytes: 1...256).map(Sound.named)
        case "threadID": self.aps.threadID = try reader.string(path)
        case "category": self.aps.category = try reader.string(path)
        case "contentAvailable": self.aps.contentAvailable = try reader.boolean(path) ?? false
        case "mutableContent": self.aps.mutableContent = try reader.boolean(path) ?? false
        case "targetContentID": self.aps.targetContentID = try reader.string(path)
        case "interruptionLevel": self.aps.interruptionLevel = try reader.value(path, Self.level)
        case "relevanceScore": self.aps.relevanceScore = try reader.double(path, in: 0...1)
        case "filterCriteria": self.aps.filterCriteria = try reader.string(path)
        default: try reader.skip()
        }
    }

    private func payload(_ reader: inout JSONReader, _ path: FieldPath) -> APNsPayload? {
        var aps = self.aps
        if let body = self.content.body, self.content == AlertContent(body: body), case .plain(let text) = body {
            aps.alert = .text(text)
        } else if self.content != AlertContent() {
            aps.alert = .content(self.content)
        }
        do {
            return try APNsPayload(aps: aps, custom: self.custom)
        } catch {
            reader.faults.add(error, at: path)
            return nil
        }
    }

    private static func level(_ text: String) throws(ValidationFailure) -> InterruptionLevel {
        let level = InterruptionLevel(rawValue: text)
        guard !self.levels.contains(level) else { return level }
        let names = self.levels.map { "'\($0.rawValue)'" }.joined(separator: ", ")
        throw ValidationFailure(field: "interruptionLevel", rule: "one of \(names)", value: "\(text.utf8.count) bytes")
    }

    /// Reads the app's own keys.
    private static func data(
        _ reader: inout JSONReader,
        _ path: FieldPath
    ) throws(JSONSyntaxError) -> [String: JSONValue] {
        guard let bytes = try reader.rawObject(path) else { return [:] }
        do {
            guard case .object(let members) = try JSONValue(json: bytes) else { return [:] }
            if members["aps"] != nil {
                reader.faults.add(path.member("aps"), expected: "the app's own keys", got: "Apple's 'aps'")
            }
            return members.filter { $0.key != "aps" }
        } catch {
            reader.faults.add(path, expected: "an object", got: error.message)
            return [:]
        }
    }
}
