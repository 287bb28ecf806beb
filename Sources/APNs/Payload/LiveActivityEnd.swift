// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// A push that ends a running Live Activity.
public struct LiveActivityEnd: Hashable, Sendable {
    /// `timestamp`: when the push was made, seconds since 1970.
    public var timestamp: Int64
    /// `content-state`: the last state; Apple advises to send one.
    public var contentState: JSONFragment?
    /// `alert`: the displayed alert.
    public var alert: LiveActivityAlert?
    /// `dismissal-date`: when it leaves the Lock Screen, seconds since 1970.
    ///
    /// A time in the past removes it at once; nil leaves it for up to 4 hours.
    public var dismissalDate: Int64?

    /// Creates an end from these parts; nil parts are omitted.
    public init(
        timestamp: Int64,
        contentState: JSONFragment? = nil,
        alert: LiveActivityAlert? = nil,
        dismissalDate: Int64? = nil
    ) {
        self.timestamp = timestamp
        self.contentState = contentState
        self.alert = alert
        self.dismissalDate = dismissalDate
    }
}
