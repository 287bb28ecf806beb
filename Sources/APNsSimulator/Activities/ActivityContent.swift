// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import APNs

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// New content of a Live Activity that its app gives it: ActivityKit's `ActivityContent`.
public struct ActivityContent: Sendable, Hashable {
    /// The content state: a JSON object.
    public var contentState: JSONValue
    /// When it counts as out of date.
    ///
    /// Default: `nil`, which is never.
    public var staleDate: Date?
    /// How far in front the activity is shown.
    ///
    /// Default: `nil`, which leaves it where it is.
    public var relevanceScore: Double?
    /// From when the content is; older content is ignored.
    ///
    /// Default: `nil`, which is now.
    public var timestamp: Date?

    /// Content with this state.
    public init(
        contentState: JSONValue,
        staleDate: Date? = nil,
        relevanceScore: Double? = nil,
        timestamp: Date? = nil
    ) {
        self.contentState = contentState
        self.staleDate = staleDate
        self.relevanceScore = relevanceScore
        self.timestamp = timestamp
    }

    var record: ActivityRecord.Content {
        ActivityRecord.Content(
            contentState: self.contentState,
            staleAt: self.staleDate?.timeIntervalSince1970,
            relevanceScore: self.relevanceScore,
            timestamp: self.timestamp?.timeIntervalSince1970
        )
    }
}
