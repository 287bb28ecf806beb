// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import PushModel

/// One notification to one token while it is read: a line of a stream, or an item of a batch.
struct ItemDraft {
    static let members = ["id", "token", "environment"] + ContentDraft.members

    /// How many bytes the caller's name for it may have.
    static let nameSizes = 1...StreamLineList.maximumNameBytes

    private(set) var name: ArraySlice<UInt8>?
    private var token: DeviceToken?
    private var environment: APNsEnvironment?
    private var content = ContentDraft()

    /// What was read.
    struct Item {
        var name: ArraySlice<UInt8>?
        var token: DeviceToken
        var environment: APNsEnvironment?
        var headers: NotificationHeaders
        var payload: APNsPayload
    }

    mutating func read(
        _ member: String,
        _ reader: inout JSONReader,
        _ path: FieldPath
    ) throws(JSONSyntaxError) {
        switch member {
        case "id": self.name = try reader.rawString(path, bytes: Self.nameSizes)
        case "token": self.token = try reader.deviceToken(path)
        case "environment": self.environment = try reader.oneOf(APNsEnvironment.self, path)
        default: try self.content.read(member, &reader, path)
        }
    }

    /// Notes what is missing, what does not belong together, and what Apple would refuse.
    func finish(_ reader: inout JSONReader, app: AppID, at path: FieldPath = .root) -> Item? {
        let token = reader.require(self.token, "token", at: path)
        guard let content = self.content.finish(&reader, app: app, at: path), let token else { return nil }
        return Item(
            name: self.name,
            token: token,
            environment: self.environment,
            headers: content.headers,
            payload: content.payload
        )
    }
}
