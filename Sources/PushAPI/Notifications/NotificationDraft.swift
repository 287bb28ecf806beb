// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import PushModel

/// The members of a ``NotificationRequest`` while they are read.
struct NotificationDraft {
    private var targets: TargetSelection?
    private var lane: Lane?
    private var content = ContentDraft()

    mutating func read(
        _ member: String,
        _ reader: inout JSONReader,
        _ path: FieldPath
    ) throws(JSONSyntaxError) {
        switch member {
        case "targets": self.targets = try TargetDraft.read(&reader, path)
        case "lane": self.lane = try reader.oneOf(Lane.self, path)
        default: try self.content.read(member, &reader, path)
        }
    }

    /// Notes what is missing, what does not belong together, and what Apple would refuse.
    func finish(_ reader: inout JSONReader, app: AppID) -> NotificationRequest? {
        let targets = reader.require(self.targets, "targets")
        guard let content = self.content.finish(&reader, app: app) else { return nil }
        return targets.map {
            NotificationRequest(targets: $0, headers: content.headers, payload: content.payload, lane: self.lane)
        }
    }
}
