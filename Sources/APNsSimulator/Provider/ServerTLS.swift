// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import NIOSSL
import Synchronization

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The TLS contexts of the simulator's ports; invalid ones are created when a fault uses them.
final class ServerTLS: Sendable {
    private static let day: Double = 24 * 3600
    private let authority: CertificateAuthority
    private let names: [String]
    private let clock: SimulatorClock
    private let right: NIOSSLContext
    private let wrong = Mutex<[TLSFault: NIOSSLContext]>([:])

    /// TLS for a host.
    ///
    /// - Throws: APNsSimulatorError `tls`.
    init(_ authority: CertificateAuthority, host: String, clock: SimulatorClock) throws(APNsSimulatorError) {
        self.authority = authority
        self.names = [host]
        self.clock = clock
        self.right = try Self.rethrowing { [names] in
            let issued = try authority.issueServer(names: names, now: clock.now())
            return try NIOSSLContext(configuration: Self.configuration(issued, trusting: authority))
        }
    }

    /// TLS that is as it should be, or has this fault.
    func context(_ fault: TLSFault? = nil) throws(APNsSimulatorError) -> NIOSSLContext {
        guard let fault else { return self.right }
        if let made = self.wrong.withLock({ $0[fault] }) { return made }
        let made = try Self.rethrowing { try NIOSSLContext(configuration: try self.configuration(fault)) }
        self.wrong.withLock { $0[fault] = made }
        return made
    }

    /// A TLS context that requires a client certificate, for the legacy ports and the courier port.
    ///
    /// Without `clients`, push certificates are trusted.
    func contextRequiringCertificate(
        of clients: CertificateAuthority? = nil
    ) throws(APNsSimulatorError) -> NIOSSLContext {
        try Self.rethrowing {
            let issued = try self.authority.issueServer(names: self.names, now: self.clock.now())
            var tls = try Self.configuration(issued, trusting: clients ?? self.authority)
            tls.certificateVerification = .noHostnameVerification
            tls.applicationProtocols = []
            return try NIOSSLContext(configuration: tls)
        }
    }

    private func configuration(_ fault: TLSFault) throws -> TLSConfiguration {
        let now = self.clock.now()
        let issued =
            switch fault {
            case .expiredCertificate:
                try self.authority.issueServer(names: self.names, now: now.addingTimeInterval(-400 * Self.day))
            case .wrongName: try self.authority.issueServer(names: ["wrong.example"], namesLocalhost: false, now: now)
            case .untrustedCertificate: try CertificateAuthority(now: now).issueServer(names: self.names, now: now)
            case .cutHandshake, .noALPN, .http1ALPN, .tls11, .tls12:
                try self.authority.issueServer(names: self.names, now: now)
            }
        var tls = try Self.configuration(issued, trusting: self.authority)
        switch fault {
        case .noALPN: tls.applicationProtocols = []
        case .http1ALPN: tls.applicationProtocols = ["http/1.1"]
        case .tls11:
            tls.minimumTLSVersion = .tlsv1
            tls.maximumTLSVersion = .tlsv11
        case .tls12: tls.maximumTLSVersion = .tlsv12
        case .expiredCertificate, .wrongName, .untrustedCertificate, .cutHandshake: break
        }
        return tls
    }

    private static func configuration(
        _ issued: IssuedCertificate,
        trusting authority: CertificateAuthority
    ) throws -> TLSConfiguration {
        let root = try NIOSSLCertificate(bytes: Array(authority.certificatePEM.utf8), format: .pem)
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
        return tls
    }

    private static func rethrowing<Value>(_ body: () throws -> Value) throws(APNsSimulatorError) -> Value {
        do {
            return try body()
        } catch {
            throw APNsSimulatorError(code: .tls, message: "TLS of a port cannot be set up", cause: error)
        }
    }
}
