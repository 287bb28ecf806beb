// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import APNs
package import NIOSSL

/// A server that speaks the APNs provider protocol: Apple's, or a simulator.
public struct APNsEndpoint: Hashable, Sendable {
    /// A host name or an address.
    ///
    /// A name is resolved again for each connection, as Apple requires.
    public var host: String
    /// The port.
    ///
    /// Range: 1...65,535.
    public var port: Int
    /// Which certificate authorities may vouch for the server.
    public var trust: TrustRoots

    /// A server by name and port.
    ///
    /// Default trust: the system's certificate authorities.
    public init(host: String, port: Int = APNsPort.standard, trust: TrustRoots = .system) {
        self.host = host
        self.port = port
        self.trust = trust
    }

    /// Apple's own server for an environment, on port 443 or 2197.
    public static func apple(_ environment: APNsEnvironment, port: Int = APNsPort.standard) -> APNsEndpoint {
        APNsEndpoint(host: environment.host, port: port)
    }

    /// Apple's own server for the management of an environment's broadcast channels.
    public static func appleChannels(_ environment: APNsEnvironment) -> APNsEndpoint {
        APNsEndpoint(host: environment.channelManagementHost, port: environment.channelManagementPort)
    }

    /// The value of `:authority`: the port is named when it is not 443.
    var authority: String {
        let host = self.host.contains(":") ? "[\(self.host)]" : self.host
        return self.port == APNsPort.standard ? host : "\(host):\(self.port)"
    }
}

extension APNsEndpoint {
    /// The TLS settings of connections to this server, without a client certificate: `h2` only, TLS 1.2 at least.
    ///
    /// - Throws: ``APNsClientError`` `invalidTrust`.
    package func tlsConfiguration() throws(APNsClientError) -> TLSConfiguration {
        var configuration = TLSConfiguration.makeClientConfiguration()
        configuration.applicationProtocols = ["h2"]
        configuration.minimumTLSVersion = .tlsv12
        guard case .certificateAuthority(let pem) = self.trust else { return configuration }
        do {
            let roots = try NIOSSLCertificate.fromPEMBytes(pem)
            guard !roots.isEmpty else { throw NIOSSLError.failedToLoadCertificate }
            configuration.trustRoots = .certificates(roots)
        } catch {
            throw APNsClientError(
                code: .invalidTrust,
                message: "the certificate authority for \(self.host) is not a certificate in PEM",
                cause: error
            )
        }
        return configuration
    }

    /// The name that the server's certificate must bear; `nil` for an address, which TLS does not send.
    package var serverName: String? {
        let isAddress = self.host.contains(":") || self.host.utf8.allSatisfy { $0 == 46 || (48...57).contains($0) }
        return isAddress ? nil : self.host
    }
}

/// Which certificate authorities may vouch for a server.
public enum TrustRoots: Hashable, Sendable {
    /// Those that the operating system trusts.
    case system
    /// Those of a PEM file only, such as a simulator's.
    case certificateAuthority(pem: [UInt8])

    /// Hashes how long a PEM file is: destinations are looked up for every batch, and seldom differ in nothing but
    /// this.
    public func hash(into hasher: inout Hasher) {
        switch self {
        case .system: hasher.combine(0)
        case .certificateAuthority(let pem): hasher.combine(pem.count)
        }
    }
}
