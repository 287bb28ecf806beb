// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import APNs
import HTTP2Session
import NIOCore
import Synchronization

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Requests about the channels of one app, one after another on one connection.
///
/// The connection is opened by the first request, and anew by the next one where it was lost. Nothing is ever sent twice by
/// itself: whether a request whose answer was lost is repeated is up to the caller. To be used by one task at a time.
public final class ChannelSession: Sendable {
    private let bundleID: Topic
    private let destination: APNsDestination
    private let configuration: APNsClientConfiguration
    private let group: any EventLoopGroup
    private let now: @Sendable () -> Date
    private let open = Mutex<NIOLoopBound<ChannelConnection>?>(nil)

    init(
        of bundleID: Topic,
        at destination: APNsDestination,
        configuration: APNsClientConfiguration,
        group: any EventLoopGroup,
        now: @escaping @Sendable () -> Date
    ) {
        self.bundleID = bundleID
        self.destination = destination
        self.configuration = configuration
        self.group = group
        self.now = now
    }

    /// Creates a channel.
    ///
    /// - Parameter policy: what it keeps for devices that are offline.
    /// - Returns: the channel's identifier.
    public func create(_ policy: MessageStoragePolicy) async -> ChannelAnswer<APNsChannelID> {
        await self.perform(.create(policy, of: self.bundleID)) { $0.channel.flatMap(APNsChannelID.init(rawValue:)) }
    }

    /// Reads what a channel keeps; APNs answers `ChannelNotRegistered` for one that does not exist.
    public func read(_ channel: APNsChannelID) async -> ChannelAnswer<MessageStoragePolicy> {
        await self.perform(.read(channel, of: self.bundleID), reading: \.policy)
    }

    /// Deletes a channel; APNs answers `ChannelNotRegistered` for one that does not exist.
    public func delete(_ channel: APNsChannelID) async -> ChannelAnswer<Void> {
        await self.perform(.delete(channel, of: self.bundleID)) { _ in () }
    }

    /// All channels of the app in the environment: 10,000 at most.
    public func list() async -> ChannelAnswer<[APNsChannelID]> {
        await self.perform(.list(self.bundleID), reading: \.channels)
    }

    private func perform<Value: Sendable>(
        _ request: ChannelRequest,
        reading read: (ChannelResponse) -> Value?
    ) async -> ChannelAnswer<Value> {
        do {
            let bound = try await self.connection()
            let timeout = TimeAmount(self.configuration.channelTimeout)
            let response = try await bound.eventLoop.flatSubmit { bound.value.send(request, timeout: timeout) }.get()
            return response.answer(read)
        } catch let loss as ChannelConnection.Loss {
            return .failed(loss.failure)
        } catch let error as APNsClientError {
            return .failed(ChannelFailure(code: .badCredential, message: error.description))
        } catch {
            return .failed(ChannelFailure(code: .unreachable, message: "\(error)"))
        }
    }

    /// The connection, opened where there is none that can be used.
    private func connection() async throws -> NIOLoopBound<ChannelConnection> {
        if let bound = self.open.withLock({ $0 }) {
            if try await bound.eventLoop.submit({ bound.value.isUsable }).get() { return bound }
            bound.eventLoop.execute { bound.value.close() }
            self.open.withLock { $0 = nil }
        }
        let bound = try await self.connect()
        self.open.withLock { $0 = bound }
        return bound
    }

    private func connect() async throws -> NIOLoopBound<ChannelConnection> {
        let tls = try self.destination.makeTLSContext()
        var authorization: [UInt8]?
        if case .key(let key) = self.destination.credential {
            authorization = try ProviderToken(key: key, now: self.now()).headerValue
        }
        let eventLoop = self.group.next()
        let ready = eventLoop.makePromise(of: NIOLoopBound<ChannelConnection>.self)
        let destination = self.destination
        let token = authorization
        let timeout = TimeAmount(self.configuration.connectTimeout)
        HTTP2Transport.connect(
            host: destination.endpoint.host,
            port: destination.endpoint.port,
            tls: tls,
            serverName: destination.endpoint.serverName,
            on: eventLoop,
            connectTimeout: timeout,
            configuration: HTTP2ConnectionConfiguration(role: .client, handshakeTimeout: timeout),
            delegate: { ChannelConnection(destination: destination, authorization: token, ready: ready) }
        ).whenComplete { result in
            switch result {
            case .failure(let error): ready.fail(ChannelConnection.Loss(wasSent: false, message: "\(error)"))
            case .success(let channel):
                // TCP is up; TLS has a deadline of its own, and behind it the server's settings have to come.
                let latest = eventLoop.now + timeout + timeout
                let deadline = eventLoop.scheduleTask(deadline: latest) { channel.close(promise: nil) }
                ready.futureResult.whenComplete { _ in deadline.cancel() }
                channel.closeFuture.whenComplete { _ in
                    let message = "the server closed before requests could be sent"
                    ready.fail(ChannelConnection.Loss(wasSent: false, message: message))
                }
            }
        }
        return try await ready.futureResult.get()
    }

    func close() {
        guard let bound = self.open.withLock({ $0.take() }) else { return }
        bound.eventLoop.execute { bound.value.close() }
    }
}
