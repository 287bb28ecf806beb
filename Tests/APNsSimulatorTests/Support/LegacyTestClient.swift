// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNsSimulator
import NIOCore
import NIOPosix
import NIOSSL
import Synchronization

/// A sender of the binary protocol: bytes out, and everything that comes back until the end.
struct LegacyTestClient: Sendable {
    private let channel: any Channel
    private let received = Received()

    private final class Received: ChannelInboundHandler, Sendable {
        typealias InboundIn = ByteBuffer
        private let bytes = Mutex<[UInt8]>([])

        var all: [UInt8] { self.bytes.withLock { $0 } }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            let buffer = self.unwrapInboundIn(data)
            self.bytes.withLock { $0 += Array(buffer.readableBytesView) }
        }

        func errorCaught(context: ChannelHandlerContext, error: any Error) {
            context.close(promise: nil)
        }
    }

    /// Connects; the handshake may still go on.
    init(_ simulator: APNsSimulator, port: Int?, certificate: IssuedCertificate?) async throws {
        let context = try NIOSSLContext(configuration: .client(of: simulator, certificate: certificate))
        let received = self.received
        self.channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let handler = try NIOSSLClientHandler(context: context, serverHostname: "localhost")
                    try channel.pipeline.syncOperations.addHandler(handler)
                    try channel.pipeline.syncOperations.addHandler(received)
                }
            }
            .connect(host: "127.0.0.1", port: port ?? 0).get()
    }

    func send(_ bytes: [UInt8]) async throws {
        try await self.channel.writeAndFlush(ByteBuffer(bytes: bytes))
    }

    /// Everything that the server said, once it has closed the connection.
    func heard() async throws -> [UInt8] {
        try await self.channel.closeFuture.get()
        return self.received.all
    }

    func close() async { try? await self.channel.close() }
}

extension TLSConfiguration {
    /// A client that trusts a simulator, and shows this certificate.
    static func client(of simulator: APNsSimulator, certificate: IssuedCertificate?) throws -> TLSConfiguration {
        var tls = TLSConfiguration.makeClientConfiguration()
        tls.trustRoots = .certificates([try NIOSSLCertificate(bytes: Array(simulator.caPEM.utf8), format: .pem)])
        guard let certificate else { return tls }
        tls.certificateChain = [
            .certificate(try NIOSSLCertificate(bytes: Array(certificate.certificatePEM.utf8), format: .pem))
        ]
        tls.privateKey = .privateKey(try NIOSSLPrivateKey(bytes: Array(certificate.privateKeyPEM.utf8), format: .pem))
        return tls
    }
}
