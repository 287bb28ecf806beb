// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import APNs

/// One notification for many devices: the common headers, the tokens, and one payload for all or one for each.
public struct SendBatch: Sendable {
    /// The headers of every request.
    public var headers: NotificationHeaders
    /// The bodies of the requests, sent byte for byte: one for all, or one for each device.
    public var payload: BatchPayload
    /// The devices.
    public var tokens: TokenList
    /// The id from which the targets' `apns-id`s are counted: target `i` carries the id whose low half is larger by
    /// `i`, or by `idOffsets[i]`.
    ///
    /// `nil` sends no id, and APNs makes one up: a resend is then a second notification to APNs.
    public var firstID: APNsID?
    /// How much larger than in `firstID` the low half of each target's id is; empty for 0, 1, 2 and so on.
    ///
    /// Targets with gaps between their ids go in one batch by this. As many as there are tokens, or none.
    public var idOffsets: [UInt32]
    /// The maximum number of retries of a target after its connection or stream was lost, when APNs may have it
    /// already.
    ///
    /// 0 is for pushes that must not be delivered twice. `nil` is the client's
    /// ``APNsClientConfiguration/maximumResends``, which also limits retries on another connection that APNs asked for.
    public var maximumResends: Int?

    /// Notifications for the devices of a list.
    public init(
        headers: NotificationHeaders,
        payload: BatchPayload,
        tokens: TokenList,
        firstID: APNsID?,
        idOffsets: [UInt32] = [],
        maximumResends: Int? = nil
    ) {
        // Cannot trap: callers make the offsets and the payloads of the same list as the tokens.
        precondition(idOffsets.isEmpty || idOffsets.count == tokens.count, "each token needs an offset, or none does")
        // Cannot trap: see above.
        precondition(payload.fits(targets: tokens.count), "each token needs a payload, or all share one")
        self.headers = headers
        self.payload = payload
        self.tokens = tokens
        self.firstID = firstID
        self.idOffsets = idOffsets
        self.maximumResends = maximumResends
    }
}

/// On which connections a notification goes out; each lane has its own.
public enum SendLane: Sendable, Hashable {
    /// For work that callers wait for: as many requests are in flight as APNs allows.
    case urgent
    /// For bulk work: only as many requests are in flight as keep the connections busy.
    case bulk
}
