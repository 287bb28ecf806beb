// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import APNsClient
import Delivery

extension ServerConfiguration {
    /// How this server sends: the configured values, and the defaults for the rest.
    ///
    /// - Throws: ``CommandFailure`` `.unreadable_file` when the file of a certificate authority cannot be read.
    func deliveryConfiguration() throws -> DeliveryConfiguration {
        var configuration = DeliveryConfiguration(endpoints: try self.apnsEndpoints())
        configuration.leaseDuration = .seconds(self.leaseSeconds)
        configuration.sliceTargets = self.sliceTargets
        configuration.slicesInFlight = self.slicesInFlight
        return configuration
    }

    private func apnsEndpoints() throws -> [APNsEnvironment: APNsEndpoint] {
        try self.endpoints.mapValues { endpoint in
            let trust: ServerTrust =
                if let path = endpoint.authority {
                    .certificateAuthority(pem: Array(try InputFile.bytes(path)))
                } else {
                    .system
                }
            return APNsEndpoint(host: endpoint.host, port: endpoint.port, trust: trust)
        }
    }
}
