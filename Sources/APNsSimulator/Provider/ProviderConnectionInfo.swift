// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import NIOCore
import NIOSSL
import Synchronization

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// A description of a provider connection.
public struct ProviderConnectionInfo: Sendable, Hashable {
    /// The authentication of a connection.
    public enum Trust: Sendable, Hashable {
        /// By nothing yet.
        case none
        /// By the provider tokens of a key.
        case token(teamID: String, keyID: String)
        /// By a certificate for these topics.
        case certificate(bundleID: String?, topics: [String])
    }

    /// The ID: 1 for the first accepted connection.
    public var id: Int
    /// The authentication.
    public var trust: Trust
    /// The provider's address.
    public var remoteAddress: String?
    /// How many streams it may have open at once.
    public var grantedStreams: Int
    /// How many streams are open.
    public var openStreams: Int
    /// The number of responses with status 200.
    public var successes: Int
    /// The number of responses with status 4xx, without 410.
    public var errors: Int
    /// How many of those were `BadDeviceToken`.
    public var badDeviceTokens: Int
    /// The number of responses with status 410.
    public var gone: Int
    /// The error points; see the switches of the group `connections`.
    public var points: Double
    /// When it was accepted, by the simulator's clock.
    public var openedAt: Date
    /// When its latest request came, by the simulator's clock; when it was accepted, if there was none.
    public var activeAt: Date
}
