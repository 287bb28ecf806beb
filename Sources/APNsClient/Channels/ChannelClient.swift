// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import APNs
public import NIOCore

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// Creates, reads, lists and deletes broadcast channels at APNs.
///
/// Channels are managed at a separate server (``APNsEndpoint/appleChannels(_:)``), and rarely, so there is no pool: a
/// connection is opened for each session, and closed after it. Broadcasts are sent like every push, with
/// ``APNsClient``.
public struct ChannelClient: Sendable {
    private let configuration: APNsClientConfiguration
    private let group: any EventLoopGroup
    private let now: @Sendable () -> Date

    /// A client without a connection.
    ///
    /// - Parameters:
    ///   - configuration: its times; the defaults suit Apple's servers.
    ///   - eventLoopGroup: where connections live. Not shut down by the client.
    ///   - now: the time of day, which provider tokens carry.
    public init(
        configuration: APNsClientConfiguration = APNsClientConfiguration(),
        eventLoopGroup: any EventLoopGroup,
        now: @escaping @Sendable () -> Date = { Date() }
    ) {
        self.configuration = configuration
        self.group = eventLoopGroup
        self.now = now
    }

    /// Sends requests about the channels of an app on one connection.
    ///
    /// - Parameters:
    ///   - bundleID: the app's bundle ID.
    ///   - destination: the server that manages channels, and the credential.
    ///   - body: sends the requests.
    /// - Returns: the result of `body`.
    /// - Throws: the error of `body`.
    public func withSession<Value: Sendable>(
        of bundleID: Topic,
        at destination: APNsDestination,
        _ body: (ChannelSession) async throws -> Value
    ) async rethrows -> Value {
        let requests = RequestSession(
            at: destination,
            configuration: self.configuration,
            group: self.group,
            now: self.now
        )
        defer { requests.close() }
        return try await body(ChannelSession(of: bundleID, over: requests))
    }
}
