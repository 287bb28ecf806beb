// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import HTTP2Session
import NIOCore
import NIOSSL

/// The provider port: HTTP/2 over TLS, with the simulator's own certificate.
struct ProviderServer: Sendable {
    /// How long connections may take to finish their requests when the simulator stops.
    private static let shutdownGrace: TimeAmount = .seconds(2)

    private let channel: any Channel
    private let core: SimulatorCore

    /// The port that was bound.
    var port: Int { self.channel.localAddress?.port ?? 0 }

    /// Binds the port and serves from now on.
    ///
    /// - Throws: ``APNsSimulatorError`` `portUnavailable` or `tls`.
    init(core: SimulatorCore, credentials: Credentials, group: any EventLoopGroup) async throws(APNsSimulatorError) {
        let configuration = core.configuration
        let tls = try Self.context(credentials, configuration: configuration)
        let settings = HTTP2Settings(maximumConcurrentStreams: configuration.initialConcurrentStreams)
        do {
            self.channel = try await HTTP2Transport.listen(
                host: configuration.host,
                port: configuration.port,
                tls: tls,
                group: group,
                configuration: HTTP2ConnectionConfiguration(role: .server, settings: settings)
            ) { channel in
                let connection = ProviderConnection(core: core)
                core.connections.add(connection, channel: channel)
                return connection
            }.get()
        } catch {
            throw .portUnavailable(configuration.port, host: configuration.host, option: "--port", cause: error)
        }
        self.core = core
    }

    /// Takes no more connections and lets those there are finish.
    func shutDown() async {
        try? await self.channel.close()
        await self.core.connections.shutDown(grace: Self.shutdownGrace)
    }

    private static func context(
        _ credentials: Credentials,
        configuration: APNsSimulatorConfiguration
    ) throws(APNsSimulatorError) -> NIOSSLContext {
        do {
            let isAddress = (try? SocketAddress(ipAddress: configuration.host, port: 0)) != nil
            let names = isAddress || configuration.host == "localhost" ? [] : [configuration.host]
            let issued = try credentials.authority.issueServer(names: names, now: configuration.clock.now())
            let root = try NIOSSLCertificate(bytes: Array(credentials.authority.certificatePEM.utf8), format: .pem)
            var tls = TLSConfiguration.makeServerConfiguration(
                certificateChain: [
                    .certificate(try NIOSSLCertificate(bytes: Array(issued.certificatePEM.utf8), format: .pem))
                ],
                privateKey: .privateKey(try NIOSSLPrivateKey(bytes: Array(issued.privateKeyPEM.utf8), format: .pem))
            )
            tls.minimumTLSVersion = .tlsv12
            tls.applicationProtocols = ["h2"]
            // A client certificate is asked for; a provider with a token has none to show.
            tls.certificateVerification = .optionalVerification
            tls.trustRoots = .certificates([root])
            return try NIOSSLContext(configuration: tls)
        } catch {
            throw APNsSimulatorError(code: .tls, message: "TLS of the provider port cannot be set up", cause: error)
        }
    }
}
