// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNsClient
import Foundation
import NIOCore
import NIOPosix
import NIOSSL
import NIOTLS
import SwiftASN1
import Synchronization
import X509

/// An attempt to connect to a server as the sender connects to APNs: name resolution, TCP, TLS and ALPN.
struct ServerProbe {
    /// How far the connection came.
    enum Result: Sendable {
        case unresolved(String)
        case unreachable(String)
        case noTLS(String)

        /// TLS works, but the certificate is not trusted. `chain` is what the server shows.
        case untrusted(String, chain: [Certificate])

        /// TLS works without HTTP/2. `negotiated` is the application protocol that the server chose.
        case noHTTP2(negotiated: String?, chain: [Certificate])
        case connected(chain: [Certificate])
    }

    let endpoint: APNsEndpoint

    /// The timeout of each step.
    let timeout: TimeAmount

    /// Connects, and closes the connection after the TLS handshake.
    func run() async -> Result {
        do {
            let (negotiated, chain) = try await self.handshake(isVerified: true)
            return negotiated == "h2" ? .connected(chain: chain) : .noHTTP2(negotiated: negotiated, chain: chain)
        } catch let error as NIOConnectionError {
            guard error.connectionErrors.isEmpty else { return .unreachable(Self.text(error)) }
            return .unresolved(Self.text(error.dnsAError ?? error.dnsAAAAError ?? error))
        } catch let error as HandshakeFailure {
            // Without verification the handshake shows whose certificate it is.
            guard let (_, chain) = try? await self.handshake(isVerified: false), !chain.isEmpty else {
                return .noTLS(error.message)
            }
            return .untrusted(error.message, chain: chain)
        } catch {
            return .unreachable(Self.text(error))
        }
    }

    /// - Returns: the application protocol and the certificates of the server; only its own where they are verified.
    private func handshake(isVerified: Bool) async throws -> (negotiated: String?, chain: [Certificate]) {
        let context = try NIOSSLContext(configuration: try self.endpoint.tlsConfiguration())
        let name = self.endpoint.serverName
        let seen = SeenCertificates()
        let (channel, done): (any Channel, EventLoopFuture<String?>) = try await ClientBootstrap(
            group: MultiThreadedEventLoopGroup.singleton
        )
        .connectTimeout(self.timeout)
        .connect(host: self.endpoint.host, port: self.endpoint.port) { channel in
            channel.eventLoop.makeCompletedFuture { () throws -> (any Channel, EventLoopFuture<String?>) in
                let accept: NIOSSLCustomVerificationCallback? =
                    isVerified ? nil : { seen.accept($0, verified: $1) }
                let tls = try NIOSSLClientHandler(
                    context: context,
                    serverHostname: name,
                    customVerificationCallback: accept,
                    configuration: NIOSSLHandler.Configuration()
                )
                let watch = HandshakeWatch(tls, seen: seen, promise: channel.eventLoop.makePromise())
                try channel.pipeline.syncOperations.addHandlers([tls, watch])
                return (channel, watch.promise.futureResult)
            }
        }
        let deadline = channel.eventLoop.scheduleTask(in: self.timeout) { channel.close(promise: nil) }
        defer {
            deadline.cancel()
            channel.close(promise: nil)
        }
        let negotiated = try await done.get()
        let chain = seen.chain.withLock { $0 }.compactMap { certificate in
            (try? certificate.toDERBytes()).flatMap { try? Certificate(derEncoded: $0) }
        }
        return (negotiated, chain)
    }

    private static func text(_ error: any Error) -> String {
        guard let failures = (error as? NIOConnectionError)?.connectionErrors, !failures.isEmpty else {
            return "\(error)"
        }
        return failures.map { "\($0.target): \($0.error)" }.joined(separator: ", ")
    }
}

/// The certificates that a server showed.
private final class SeenCertificates: Sendable {
    let chain = Mutex<[NIOSSLCertificate]>([])

    /// Notes the certificates, and lets the handshake continue.
    func accept(_ chain: [NIOSSLCertificate], verified: EventLoopPromise<NIOSSLVerificationResult>) {
        self.chain.withLock { $0 = chain }
        verified.succeed(.certificateVerified)
    }
}

/// A TCP connection was open, but the TLS handshake failed.
private struct HandshakeFailure: Error {
    let message: String
}

/// Completes a promise with the application protocol when the TLS handshake ends.
private final class HandshakeWatch: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    let promise: EventLoopPromise<String?>
    private let tls: NIOSSLClientHandler
    private let seen: SeenCertificates
    private var error: (any Error)?

    init(_ tls: NIOSSLClientHandler, seen: SeenCertificates, promise: EventLoopPromise<String?>) {
        self.tls = tls
        self.seen = seen
        self.promise = promise
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        guard case .handshakeCompleted(let negotiated)? = event as? TLSUserEvent else { return }
        if let own = self.tls.peerCertificate {
            self.seen.chain.withLock { if $0.isEmpty { $0 = [own] } }
        }
        self.promise.succeed(negotiated)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        self.error = self.error ?? error
        context.close(promise: nil)
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        let message = self.error.map { "\($0)" } ?? "the connection was closed, or the timeout passed"
        self.promise.fail(HandshakeFailure(message: message))
    }
}
