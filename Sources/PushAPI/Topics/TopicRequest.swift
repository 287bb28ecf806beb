// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import PushModel

/// What a topic is to be, as far as it is set and changed here.
///
/// What other doors have set stays.
struct TopicRequest: Sendable {
    static let members = ["displayName", "tags"]

    /// The name of the attribute that all doors know as the name to show.
    static let displayName = "DisplayName"

    /// What people call it; `nil` takes it away.
    var displayName: String?
    var tags: [String: String] = [:]

    /// Reads the body of a request; one without bytes says nothing of both.
    init(_ body: [UInt8]) throws(Problem) {
        guard !body.isEmpty else { return }
        var displayName: String?
        var tags: [String: String] = [:]
        self = try JSONReader.read(body, members: Self.members) { reader, member, path throws(JSONSyntaxError) in
            switch member {
            case "displayName": displayName = try reader.string(path, bytes: 1...100)
            default:
                var count = 0
                try reader.eachMember(path) { reader, name, path throws(JSONSyntaxError) in
                    count += 1
                    if !(1...128).contains(name.count) {
                        reader.faults.add(path, expected: "a key of 1 to 128 characters", got: "\(name.count)")
                    }
                    guard let value = try reader.string(path) else { return }
                    if value.count > 256 {
                        reader.faults.add(path, expected: "at most 256 characters", got: "\(value.count)")
                    }
                    tags[name] = value
                }
                if count > PushTopic.maximumTags {
                    reader.faults.add(path, expected: "at most \(PushTopic.maximumTags) tags", got: "\(count)")
                }
            }
        } finish: { _ in
            TopicRequest(displayName: displayName, tags: tags)
        }
    }

    private init(displayName: String?, tags: [String: String]) {
        self.displayName = displayName
        self.tags = tags
    }

    /// Makes a topic what the request says.
    func apply(to topic: inout PushTopic) {
        topic.attributes[Self.displayName] = self.displayName
        topic.tags = self.tags
    }
}
