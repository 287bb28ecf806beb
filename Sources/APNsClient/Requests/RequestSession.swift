// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import HTTP2Session
package import NIOCore
import Synchronization

#if canImport(FoundationEssentials)
package import FoundationEssentials
#else
package import Foundation
#endif

/// Requests to one server of APNs, one after another on one connection.
///
/// The first request opens the connection. If the connection is lost, the next request opens another one. The session
/// never repeats a request. Only one task at a time may use it.
package final class RequestSession: Sendable {
    private let destination: APNsDestination
    private let configuration: APNsClientConfiguration
    private let group: any EventLoopGroup
    private let now: @Sendable () -> Date
    private let open = Mutex<NIOLoopBound<RequestConnection>?>(nil)

    /// A session without a connection; `now` is the time that provider tokens carry.
    package init(
        at destination: APNsDestination,
        configuration: APNsClientConfiguration = APNsClientConfiguration(),
        group: any EventLoopGroup,
        now: @escaping @Sendable () -> Date = { Date() }
    ) {
        self.destination = destination
        self.configuration = configuration
        self.group = group
        self.now = now
    }

    /// Sends a request.
    ///
    /// - Throws: ``RequestLoss`` when no response arrives; ``APNsClientError`` when the credential or the trust is
    ///   invalid.
    package func send(_ request: APNsRequest) async throws -> APNsResponse {
        let bound = try await self.connection()
        let timeout = TimeAmount(self.configuration.channelTimeout)
        return try await bound.eventLoop.flatSubmit { bound.value.send(request, timeout: timeout) }.get()
    }

    /// The open connection, or another one if it cannot be used.
    private func connection() async throws -> NIOLoopBound<RequestConnection> {
        if let bound = self.open.withLock({ $0 }) {
            if try await bound.eventLoop.submit({ bound.value.isUsable }).get() { return bound }
            bound.eventLoop.execute { bound.value.close() }
            self.open.withLock { $0 = nil }
        }
        let bound = try await self.connect()
        self.open.withLock { $0 = bound }
        return bound
    }

    private func connect() async throws -> NIOLoopBound<RequestConnection> {
        let tls = try self.destination.makeTLSContext()
        var authorization: [UInt8]?
        if case .key(let key) = self.destination.credential {
            authorization = try ProviderToken(key: key, now: self.now()).headerValue
        }
        let eventLoop = self.group.next()
        let ready = eventLoop.makePromise(of: NIOLoopBound<RequestConnection>.self)
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
            delegate: { RequestConnection(destination: destination, authorization: token, ready: ready) }
        ).whenComplete { result in
            switch result {
            case .failure(let error): ready.fail(RequestLoss(wasSent: false, message: "\(error)"))
            case .success(let channel):
                // TCP is connected; TLS has a separate deadline, and the server's settings must follow within another
                // one.
                let latest = eventLoop.now + timeout + timeout
                let deadline = eventLoop.scheduleTask(deadline: latest) { channel.close(promise: nil) }
                ready.futureResult.whenComplete { _ in deadline.cancel() }
                channel.closeFuture.whenComplete { _ in
                    let message = "the server closed before requests could be sent"
                    ready.fail(RequestLoss(wasSent: false, message: message))
                }
            }
        }
        return try await ready.futureResult.get()
    }

    /// Closes the connection; a request without a response by then gets none.
    package func close() {
        guard let bound = self.open.withLock({ $0.take() }) else { return }
        bound.eventLoop.execute { bound.value.close() }
    }
}
