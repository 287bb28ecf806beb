// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// A push that changes a running Live Activity.
public struct LiveActivityUpdate: Hashable, Sendable {
    /// `timestamp`: when the push was made, seconds since 1970; the device ignores one older than the last.
    public var timestamp: Int64
    /// `content-state`: the new state.
    public var contentState: JSONFragment
    /// `alert`: what is shown; nil changes the activity without an alert.
    public var alert: LiveActivityAlert?
    /// `stale-date`: when the content counts as out of date, seconds since 1970.
    public var staleDate: Int64?
    /// `relevance-score`: any number, the highest is shown first.
    public var relevanceScore: Double?

    /// An update of these parts; what is nil is left out.
    public init(
        timestamp: Int64,
        contentState: JSONFragment,
        alert: LiveActivityAlert? = nil,
        staleDate: Int64? = nil,
        relevanceScore: Double? = nil
    ) {
        self.timestamp = timestamp
        self.contentState = contentState
        self.alert = alert
        self.staleDate = staleDate
        self.relevanceScore = relevanceScore
    }
}
