// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs

/// The member `alert` of a change of an activity.
enum ActivityAlertDraft {
    static let members = ["title", "body", "sound"]

    static let textMembers = ["key", "arguments"]

    /// Reads the object; whatever is wrong is noted.
    static func read(_ reader: inout JSONReader, _ path: FieldPath) throws(JSONSyntaxError) -> LiveActivityAlert? {
        var title: AlertText?
        var body: AlertText?
        var sound: String?
        let isObject = try reader.object(path, members: self.members) { reader, member, path throws(JSONSyntaxError) in
            switch member {
            case "title": title = try self.text(&reader, path)
            case "body": body = try self.text(&reader, path)
            default: sound = try reader.string(path, bytes: 1...256)
            }
        }
        guard isObject, let title = reader.require(title, "title", at: path) else { return nil }
        return reader.require(body, "body", at: path).map { LiveActivityAlert(title: title, body: $0, sound: sound) }
    }

    /// A text, or the key of one that the app has in each language.
    private static func text(_ reader: inout JSONReader, _ path: FieldPath) throws(JSONSyntaxError) -> AlertText? {
        let kind = try reader.withCursor { cursor throws(JSONSyntaxError) in try cursor.kind() }
        guard kind == .object else { return try reader.string(path).map(AlertText.plain) }
        var key: String?
        var arguments: [String] = []
        try reader.object(path, members: self.textMembers) { reader, member, path throws(JSONSyntaxError) in
            guard member == "arguments" else {
                key = try reader.string(path, bytes: 1...256)
                return
            }
            try reader.array(path) { reader, index throws(JSONSyntaxError) in
                if let argument = try reader.string(path.element(index)) { arguments.append(argument) }
            }
        }
        return reader.require(key, "key", at: path).map { .localized(key: $0, arguments: arguments) }
    }
}
