// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import CommandLineSupport
import Foundation
import Logging
import Metrics
import PushAPI
import PushModel

/// How the listeners are protected.
extension ServerConfiguration {
    /// The files for TLS.
    ///
    /// - Throws: ``CommandError`` `.bad_configuration` for a certificate without a key, or the reverse.
    func tlsFiles(_ certificate: String?, _ key: String?, _ clientCA: String?) throws -> TLSFiles? {
        switch (certificate, key) {
        case (let certificate?, let key?): return TLSFiles(certificate: certificate, key: key, clientCA: clientCA)
        case (nil, .some): throw self.fault(in: .tlsKey, "expected tls.certificate as well, got only the key")
        case (.some, nil): throw self.fault(in: .tlsCertificate, "expected tls.key as well, got only the certificate")
        case (nil, nil):
            guard clientCA == nil else {
                throw self.fault(in: .tlsClientCA, "expected tls.certificate and tls.key as well, got neither")
            }
            return nil
        }
    }

    /// The proxies in front of the server, as addresses and ranges that are separated by commas.
    ///
    /// - Throws: ``CommandError`` `.bad_configuration`.
    func proxies(_ text: String?, sendProxyHeader: Bool) throws -> TrustedProxies {
        var proxies = TrustedProxies()
        proxies.sendProxyHeader = sendProxyHeader
        proxies.ranges = try (text ?? "").split(separator: ",").map { entry in
            guard let range = AddressRange(entry.trimmingCharacters(in: .whitespaces)) else {
                throw self.fault(in: .trustedProxies, "expected \(AddressRange.rule), got '\(entry)'")
            }
            return range
        }
        guard !sendProxyHeader || !proxies.ranges.isEmpty else {
            throw self.fault(in: .proxyProtocol, "expected trustedProxies, from which the headers are accepted")
        }
        return proxies
    }

    /// Whether only this machine reaches the listeners.
    var listensOnLoopback: Bool { NetworkAddress.isLoopback(host: self.host) }

    /// Why the listeners may not be opened: keys and tokens would cross a network in plain text; `nil` if they may.
    var exposure: CommandError? {
        guard self.tls == nil, !self.listensOnLoopback, !self.allowsInsecureHTTP else { return nil }
        return CommandError(
            "insecure_http",
            """
            \(self.name(of: .host)): other machines reach \(self.host), and there is no certificate for TLS: API keys and \
            device tokens would cross the network in plain text.
              Set a certificate and its key: tls.certificate and tls.key (APUS_TLS_CERTIFICATE, APUS_TLS_KEY)
              Or listen on this machine only: host 127.0.0.1
              Behind a proxy that terminates TLS: --insecure-http (APUS_INSECURE_HTTP=true)
            """
        )
    }

    /// Reads the files for TLS, and logs how the listeners are protected.
    ///
    /// - Returns: what they serve connections with; `nil` for plain HTTP.
    /// - Throws: ``CommandError`` `.insecure_http`, `.bad_configuration` for files that cannot be used.
    func listenerTLS(metrics: any MetricsFactory, logger: Logger) throws -> TLSCertificates? {
        if let exposure { throw exposure }
        guard let tls else {
            guard !self.listensOnLoopback else { return nil }
            logger.warning(
                """
                insecureHTTP is set: serving plain HTTP to other machines. Let only a proxy that terminates TLS reach the \
                port
                """,
                metadata: ["host": "\(self.host)"]
            )
            return nil
        }
        if let mode = FilePermissions.exposedMode(of: tls.key) {
            logger.warning(
                "Other users can read the key of the TLS certificate; run: chmod 600 on it",
                metadata: ["file": "\(tls.key)", "mode": "\(mode)"]
            )
        }
        do {
            return try TLSCertificates(tls, metrics: metrics, logger: logger)
        } catch {
            throw self.failure(error)
        }
    }

    /// A failure of the files for TLS, with the key of the file.
    func failure(_ error: TLSFileError) -> CommandError {
        let key: ConfigurationKey =
            switch error.file {
            case .certificate: .tlsCertificate
            case .key: .tlsKey
            case .clientCA: .tlsClientCA
            }
        return self.fault(in: key, error.message)
    }

    /// Logs that the connection to the database can be intercepted, if it can.
    func warnOfUnverifiedStore(_ logger: Logger) {
        guard let host = ServerStore.unverifiedHost(url: self.storeURL) else { return }
        logger.warning(
            """
            The certificate of the PostgreSQL server is not verified, so an attacker on the network can read and change \
            everything; add sslmode=verify-full to store.url
            """,
            metadata: ["host": "\(host)"]
        )
    }

    /// The URL of a listener of this machine, without a path, as `http://127.0.0.1:8080`.
    ///
    /// A listener on every address of the machine is reached over the loopback address.
    func listeningURL(port: Int) -> String {
        let isAny = ["0.0.0.0", "::"].contains(self.host)
        let name = isAny ? "127.0.0.1" : self.host.contains(":") ? "[\(self.host)]" : self.host
        return "\(self.tls == nil ? "http" : "https")://\(name):\(port)"
    }

    /// Keeps crashes from writing keys to core files, unless the configuration allows it.
    func protectMemory(_ logger: Logger) {
        guard !self.allowsCoreDumps else {
            return logger.warning("coreDumps is set: a crash may write a core file, which contains keys and tokens")
        }
        if !CoreDumps.disable() { logger.notice("The system does not let this process disable all core files") }
    }
}
