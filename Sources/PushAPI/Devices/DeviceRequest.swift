// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import PushModel

/// What an app, or its backend, says of one of its installations.
struct DeviceRequest: Sendable {
    static let members = [
        "token", "environment", "platform", "appVersion", "locale", "timeZone", "userID", "tags", "topics",
    ]

    var token: DeviceToken
    var environment: APNsEnvironment?
    var profile: DeviceProfile

    /// Reads the body of a request.
    init(_ body: [UInt8]) throws(Problem) {
        var draft = DeviceDraft()
        self = try JSONReader.read(body, members: Self.members) { reader, member, path throws(JSONSyntaxError) in
            try draft.read(member, &reader, path)
        } finish: { reader in
            draft.finish(&reader)
        }
    }

    fileprivate init(token: DeviceToken, environment: APNsEnvironment?, profile: DeviceProfile) {
        self.token = token
        self.environment = environment
        self.profile = profile
    }
}

/// What is said of an installation while it is read: the body of a request, or a line of an import.
struct DeviceDraft {
    private var token: DeviceToken?
    private var environment: APNsEnvironment?
    private var profile = DeviceProfile()

    /// Reads the value of a member of ``DeviceRequest/members``; whatever is wrong is noted.
    mutating func read(
        _ member: String,
        _ reader: inout JSONReader,
        _ path: FieldPath
    ) throws(JSONSyntaxError) {
        switch member {
        case "token": self.token = try reader.deviceToken(path)
        case "environment": self.environment = try reader.oneOf(APNsEnvironment.self, path)
        default: try Self.read(member, of: &self.profile, &reader, path)
        }
    }

    /// Notes what is missing, and which limits are not kept.
    func finish(_ reader: inout JSONReader) -> DeviceRequest? {
        for failure in self.profile.validate() { reader.faults.add(failure) }
        return reader.require(self.token, "token").map {
            DeviceRequest(token: $0, environment: self.environment, profile: self.profile)
        }
    }

    private static func read(
        _ member: String,
        of profile: inout DeviceProfile,
        _ reader: inout JSONReader,
        _ path: FieldPath
    ) throws(JSONSyntaxError) {
        switch member {
        case "platform": profile.platform = try reader.string(path).map { DevicePlatform(rawValue: $0.lowercased()) }
        case "appVersion": profile.appVersion = try reader.string(path)
        case "locale": profile.locale = try reader.string(path)
        case "timeZone": profile.timeZone = try reader.string(path)
        case "userID": profile.userID = try reader.value(path, UserID.init(validating:))
        case "tags":
            var tags: [String: String] = [:]
            try reader.eachMember(path) { reader, name, path throws(JSONSyntaxError) in
                tags[name] = try reader.string(path)
            }
            profile.tags = tags
        case "topics":
            var topics: Set<String> = []
            try reader.array(path) { reader, index throws(JSONSyntaxError) in
                if let topic = try reader.string(path.element(index)) { topics.insert(topic) }
            }
            profile.topics = topics
        default: try reader.skip()
        }
    }
}
