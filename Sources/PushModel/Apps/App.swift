// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import APNs

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// An app to whose devices notifications are sent.
public struct App: Hashable, Sendable, Codable {
    /// The bundle identifier.
    public let id: AppID

    /// What people call it.
    public var name: String

    /// The APNs environment that is assumed where a caller names none.
    public var defaultEnvironment: APNsEnvironment

    /// When it was created; kept to the millisecond.
    public let createdAt: Date

    /// Describes an app.
    ///
    /// - Parameters:
    ///   - id: its bundle identifier.
    ///   - name: what people call it; the bundle identifier where that is `nil`.
    ///   - defaultEnvironment: the environment that is assumed where a caller names none.
    ///   - createdAt: when it was created.
    public init(
        id: AppID,
        name: String? = nil,
        defaultEnvironment: APNsEnvironment = .production,
        createdAt: Date
    ) {
        self.id = id
        self.name = name ?? id.rawValue
        self.defaultEnvironment = defaultEnvironment
        self.createdAt = createdAt
    }
}
