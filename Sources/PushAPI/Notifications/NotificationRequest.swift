// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import PushModel

/// What a caller wants to be sent.
struct NotificationRequest: Sendable {
    static let members = ["targets", "lane"] + ContentDraft.members

    var targets: TargetSelection
    var headers: NotificationHeaders
    var payload: APNsPayload

    /// The queue that the caller chose, or `nil` to leave it to the server.
    var lane: Lane?

    /// Reads the body of a request to send to an app's devices.
    ///
    /// - Throws: ``Problem`` with every fault of the request; the payload is measured against Apple's limit here.
    init(_ body: [UInt8], app: AppID) throws(Problem) {
        var draft = NotificationDraft()
        self = try JSONReader.read(body, members: Self.members) { reader, member, path throws(JSONSyntaxError) in
            try draft.read(member, &reader, path)
        } finish: { reader in
            draft.finish(&reader, app: app)
        }
    }

    init(targets: TargetSelection, headers: NotificationHeaders, payload: APNsPayload, lane: Lane?) {
        self.targets = targets
        self.headers = headers
        self.payload = payload
        self.lane = lane
    }
}
