// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// A push that starts a Live Activity.
public struct LiveActivityStart: Hashable, Sendable {
    /// `timestamp`: when the push was made, seconds since 1970.
    public var timestamp: Int64
    /// `attributes-type`: the name of the app's `ActivityAttributes` type, without its module.
    public var attributesType: String
    /// `attributes`: what never changes.
    public var attributes: JSONFragment
    /// `content-state`: the first state.
    public var contentState: JSONFragment
    /// `alert`: what is shown.
    ///
    /// Without it the device drops the push in silence, hence it is required.
    public var alert: LiveActivityAlert
    /// `stale-date`: when the content counts as out of date, seconds since 1970.
    public var staleDate: Int64?
    /// `relevance-score`: any number, the highest is shown first.
    public var relevanceScore: Double?
    /// How the started activity asks for its updates (iOS 18).
    public var input: LiveActivityInput?

    /// A start of these parts; what is nil is left out.
    public init(
        timestamp: Int64,
        attributesType: String,
        attributes: JSONFragment,
        contentState: JSONFragment,
        alert: LiveActivityAlert,
        staleDate: Int64? = nil,
        relevanceScore: Double? = nil,
        input: LiveActivityInput? = nil
    ) {
        self.timestamp = timestamp
        self.attributesType = attributesType
        self.attributes = attributes
        self.contentState = contentState
        self.alert = alert
        self.staleDate = staleDate
        self.relevanceScore = relevanceScore
        self.input = input
    }
}
