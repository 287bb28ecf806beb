// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import PushModel
import PushStore

/// On which channel a new activity is to be broadcast, while that is read.
struct BroadcastDraft: Sendable {
    static let members = ["channel", "delivery"]

    private var channel: ChannelName?
    private var delivery: ActivityDelivery?

    /// Reads the value of one of the members; whatever is wrong is noted.
    mutating func read(
        _ member: String,
        _ reader: inout JSONReader,
        _ path: FieldPath
    ) throws(JSONSyntaxError) {
        if member == "channel" {
            self.channel = try reader.value(path, ChannelName.init(validating:))
        } else {
            self.delivery = try reader.oneOf(ActivityDelivery.self, path)
        }
    }

    /// Notes what does not belong together.
    func check(_ reader: inout JSONReader) {
        guard self.delivery == .channel, self.channel == nil, reader.faults.count == 0 else { return }
        reader.faults.add(
            FieldPath.root.member("channel"),
            expected: "the name of a channel, which delivery 'channel' needs",
            got: "none"
        )
    }

    /// The channel as an activity is bound to it; `nil` when it is not to be broadcast.
    ///
    /// - Throws: ``Problem`` `.channelNotFound`, `.channelNotReady`; `StoreError`.
    func channel(of app: AppID, in store: any PushStore) async throws -> ActivityChannel? {
        guard let name = self.channel else { return nil }
        guard let channel = try await store.channel(name, of: app) else {
            throw Problem(.channelNotFound, "The app has no channel of the name in `channel`.")
        }
        guard let bound = ActivityChannel(channel, delivery: self.delivery ?? .automatic) else {
            throw Problem.notReady
        }
        return bound
    }
}

extension Problem {
    /// The channel to which an activity is to be bound is being made or deleted.
    static var notReady: Problem {
        Problem(.channelNotReady, "The channel is being made, or being deleted, at APNs.")
    }
}
