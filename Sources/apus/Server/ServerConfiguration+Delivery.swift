// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import APNsClient
import Delivery
import NIOSSL

extension ServerConfiguration {
    /// How this server sends: the configured values, and the defaults for the rest.
    ///
    /// - Throws: ``CommandFailure`` `.bad_configuration` when the file of a certificate authority cannot be read or
    ///   holds none.
    func deliveryConfiguration() throws -> DeliveryConfiguration {
        var configuration = DeliveryConfiguration(endpoints: try self.apnsEndpoints(self.endpoints))
        configuration.leaseDuration = .seconds(self.leaseSeconds)
        configuration.sendDeadline = .seconds(self.answerSeconds)
        configuration.sliceTargets = self.sliceTargets
        configuration.window = self.window
        configuration.bulkBesideUrgent = self.bulkBesideUrgent
        return configuration
    }

    /// The configuration of connections to APNs: the configured timeout, and the defaults for the rest.
    var apnsClientConfiguration: APNsClientConfiguration {
        var configuration = APNsClientConfiguration()
        let timeout = Duration.seconds(self.apnsTimeoutSeconds)
        configuration.connectTimeout = timeout
        configuration.answerTimeout = timeout
        configuration.channelTimeout = timeout * 2
        configuration.pingTimeout = timeout / 2
        return configuration
    }

    /// Where broadcast channels are managed.
    ///
    /// - Throws: ``CommandFailure`` `.bad_configuration`, as ``deliveryConfiguration()`` does.
    func channelDestinations() throws -> [APNsEnvironment: APNsEndpoint] {
        try self.apnsEndpoints(self.channelEndpoints)
    }

    private func apnsEndpoints(_ configured: [APNsEnvironment: Endpoint]) throws -> [APNsEnvironment: APNsEndpoint] {
        var endpoints: [APNsEnvironment: APNsEndpoint] = [:]
        for (environment, endpoint) in configured {
            let key: ConfigurationKey = environment == .sandbox ? .sandboxAuthority : .productionAuthority
            let trust = try endpoint.authority.map { try self.trust($0, key) } ?? .system
            endpoints[environment] = APNsEndpoint(host: endpoint.host, port: endpoint.port, trust: trust)
        }
        return endpoints
    }

    /// Trust in the authority of a file, which is read as it will be for a connection.
    private func trust(_ path: String, _ key: ConfigurationKey) throws -> ServerTrust {
        let rule = "\(self.name(of: key)): expected a PEM file with the certificate of an authority"
        let pem: [UInt8]
        do {
            pem = Array(try InputFile.bytes(path))
        } catch let failure as CommandFailure {
            throw CommandFailure("bad_configuration", "\(rule). \(failure.message)", cause: failure)
        }
        guard let found = try? NIOSSLCertificate.fromPEMBytes(pem), !found.isEmpty else {
            throw CommandFailure("bad_configuration", "\(rule), got \(path), which holds no certificate in PEM.")
        }
        return .certificateAuthority(pem: pem)
    }
}
