// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import APNs

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// An event that is to be appended to the feed; the store gives it its place.
public struct EventDraft: Hashable, Sendable {
    /// The app that it concerns.
    public var app: AppID

    /// When it happened; kept to the millisecond.
    public var time: Date

    /// What it tells of.
    public var kind: EventKind

    /// What there is to tell, an object; holds no secret and no device token.
    public var data: JSONValue

    /// Describes an event.
    ///
    /// - Parameters:
    ///   - app: the app that it concerns.
    ///   - time: when it happened.
    ///   - kind: what it tells of.
    ///   - data: what there is to tell, an object.
    public init(app: AppID, time: Date, kind: EventKind, data: JSONValue) {
        self.app = app
        self.time = time
        self.kind = kind
        self.data = data
    }
}
