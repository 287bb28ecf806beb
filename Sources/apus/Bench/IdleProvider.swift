// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Foundation
import HTTP2Session
import NIOCore
import NIOSSL

/// A provider's connection that is opened and then says nothing.
final class IdleProvider: HTTP2ConnectionDelegate {
    private let settled: EventLoopPromise<Void>
    private var hasSettled = false

    private init(_ settled: EventLoopPromise<Void>) {
        self.settled = settled
    }

    /// Connects; the server's SETTINGS have come when it returns.
    static func connect(port: Int, tls: NIOSSLContext, on eventLoop: any EventLoop) async throws -> any Channel {
        let settled = eventLoop.makePromise(of: Void.self)
        let channel = try await HTTP2Transport.connect(
            host: "127.0.0.1",
            port: port,
            tls: tls,
            serverName: "localhost",
            on: eventLoop,
            connectTimeout: .seconds(60),
            configuration: HTTP2ConnectionConfiguration(role: .client, handshakeTimeout: .seconds(60)),
            delegate: { IdleProvider(settled) }
        ).get()
        try await settled.futureResult.get()
        return channel
    }

    /// A context that trusts the simulator's authority.
    static func context(caPath: String) throws -> NIOSSLContext {
        var tls = TLSConfiguration.makeClientConfiguration()
        tls.trustRoots = .certificates(try NIOSSLCertificate.fromPEMFile(caPath))
        tls.applicationProtocols = ["h2"]
        return try NIOSSLContext(configuration: tls)
    }

    private func settle(_ result: Result<Void, any Error>) {
        guard !self.hasSettled else { return }
        self.hasSettled = true
        self.settled.completeWith(result)
    }

    func connectionDidOpen(_ connection: HTTP2Connection, peerCertificate: NIOSSLCertificate?) {}

    func connectionDidReadBurst(_ connection: HTTP2Connection) {}

    func connectionDidClose(_ connection: HTTP2Connection, error: HTTP2SessionError?) {
        self.settle(.failure(error ?? ChannelError.eof as any Error))
    }

    func sessionDidReceiveSettings(_ session: HTTP2Session) { self.settle(.success(())) }

    func session(_ session: HTTP2Session, didBeginHeadersOn stream: HTTP2Stream) {}

    func session(
        _ session: HTTP2Session,
        didReceiveField name: UnsafeBufferPointer<UInt8>,
        value: UnsafeBufferPointer<UInt8>,
        on stream: HTTP2Stream
    ) {}

    func session(_ session: HTTP2Session, didEndHeadersOn stream: HTTP2Stream, endStream: Bool) {}

    func session(_ session: HTTP2Session, didReceiveData bytes: UnsafeRawBufferPointer, on stream: HTTP2Stream) {}

    func session(_ session: HTTP2Session, didEndDataOn stream: HTTP2Stream) {}

    func session(_ session: HTTP2Session, didClose stream: HTTP2Stream, code: HTTP2ErrorCode) {}

    func session(
        _ session: HTTP2Session,
        didReceiveGoAway lastStreamID: Int32,
        code: HTTP2ErrorCode,
        debugData: UnsafeRawBufferPointer
    ) {}

    func sessionDidReceivePingAcknowledgement(_ session: HTTP2Session) {}
}
