// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import APNs

/// One notification for many devices: what they share, and their tokens.
public struct SendBatch: Sendable {
    /// The headers of every request.
    public var headers: NotificationHeaders
    /// The body of every request, sent byte for byte.
    public var payload: APNsPayload
    /// The devices.
    public var tokens: TokenList
    /// The `apns-id` of the first target; target `i` carries the id whose low half is larger by `i`.
    ///
    /// `nil` sends no id, and APNs makes one up: a resend is then a second notification to APNs.
    public var firstID: APNsID?

    /// A notification for the devices of a list.
    public init(headers: NotificationHeaders, payload: APNsPayload, tokens: TokenList, firstID: APNsID?) {
        self.headers = headers
        self.payload = payload
        self.tokens = tokens
        self.firstID = firstID
    }
}

/// Which of two queues a notification waits in.
public enum SendLane: Sendable, Hashable {
    /// Goes first, and has streams kept free for it.
    case urgent
    /// Takes the streams that urgent work leaves.
    case bulk
}
