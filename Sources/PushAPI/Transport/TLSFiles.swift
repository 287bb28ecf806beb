// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

package import Foundation
import NIOSSL
import PushStore
import SwiftASN1
import X509

/// The PEM files from which a listener serves TLS.
package struct TLSFiles: Hashable, Sendable {
    /// The largest file that is read, in bytes; chains and bundles of authorities are smaller.
    package static let maximumBytes = 256 << 10

    /// The certificate of the server, followed by the intermediate certificates.
    package var certificate: String

    /// The private key of the certificate, without a passphrase.
    package var key: String

    /// The authorities of client certificates, without which no connection is accepted; `nil` to ask for none.
    package var clientCA: String?

    package init(certificate: String, key: String, clientCA: String? = nil) {
        self.certificate = certificate
        self.key = key
        self.clientCA = clientCA
    }
}

/// Why files cannot be used for TLS.
package struct TLSFileError: Error, CustomStringConvertible {
    package enum File: Hashable, Sendable {
        case certificate
        case key
        case clientCA
    }

    /// The file to correct.
    package let file: File

    /// What was expected of it, and what was found; never a part of its content.
    package let message: String

    package var description: String { self.message }
}

/// The contents of TLS files at one time.
struct TLSFileContents: Hashable {
    private let files: TLSFiles
    private let certificate: [UInt8]
    private let key: [UInt8]
    private let clientCA: [UInt8]?

    /// Reads the files.
    init(reading files: TLSFiles) throws(TLSFileError) {
        self.files = files
        self.certificate = try Self.content(of: files.certificate, .certificate)
        self.key = try Self.content(of: files.key, .key)
        self.clientCA = if let path = files.clientCA { try Self.content(of: path, .clientCA) } else { nil }
    }

    private static func content(of path: String, _ file: TLSFileError.File) throws(TLSFileError) -> [UInt8] {
        guard let content = RegularFile.content(of: path, maximumBytes: TLSFiles.maximumBytes) else {
            let limit = "at most \(TLSFiles.maximumBytes >> 10) KiB that this user can read"
            throw TLSFileError(file: file, message: "expected a regular file of \(limit), got \(path)")
        }
        return content
    }

    /// Creates what connections are served with.
    ///
    /// - Throws: ``TLSFileError`` unless the files have certificates and the key of the first one.
    func identity() throws(TLSFileError) -> TLSIdentity {
        let chain = try Self.certificates(self.certificate, self.files.certificate, .certificate)
        let key: NIOSSLPrivateKey
        do {
            key = try NIOSSLPrivateKey(bytes: self.key, format: .pem)
        } catch {
            throw TLSFileError(
                file: .key,
                message:
                    "expected a PEM file with a private key without a passphrase, got \(self.files.key) without one"
            )
        }
        var tls = TLSConfiguration.makeServerConfiguration(
            certificateChain: chain.map { .certificate($0) },
            privateKey: .privateKey(key)
        )
        tls.minimumTLSVersion = .tlsv12
        tls.applicationProtocols = ["http/1.1"]
        if let clientCA, let path = self.files.clientCA {
            tls.trustRoots = .certificates(try Self.certificates(clientCA, path, .clientCA))
            // Clients are verified by their authority. Their names say nothing about their addresses.
            tls.certificateVerification = .noHostnameVerification
        }
        do {
            return TLSIdentity(context: try NIOSSLContext(configuration: tls), expiresAt: Self.end(of: chain))
        } catch {
            throw TLSFileError(
                file: .key,
                message: "expected the key of the first certificate in \(self.files.certificate), got another one in "
                    + self.files.key
            )
        }
    }

    private static func certificates(
        _ content: [UInt8],
        _ path: String,
        _ file: TLSFileError.File
    ) throws(TLSFileError) -> [NIOSSLCertificate] {
        guard let found = try? NIOSSLCertificate.fromPEMBytes(content), !found.isEmpty else {
            throw TLSFileError(file: file, message: "expected a PEM file with certificates, got \(path) without one")
        }
        return found
    }

    /// When the first certificate expires.
    ///
    /// NIOSSL's own property is not used: it traps on a time that BoringSSL cannot convert.
    private static func end(of chain: [NIOSSLCertificate]) -> Date? {
        guard let bytes = try? chain.first?.toDERBytes() else { return nil }
        return (try? Certificate(derEncoded: bytes))?.notValidAfter
    }
}

/// A certificate, its key and the authorities of clients, as connections use them.
struct TLSIdentity: Sendable {
    let context: NIOSSLContext

    /// When the certificate expires; `nil` if its times cannot be read.
    let expiresAt: Date?
}

extension TLSFiles {
    /// Reads the files as a start of the server does.
    ///
    /// - Returns: when the certificate expires.
    package func check() throws(TLSFileError) -> Date? {
        try TLSFileContents(reading: self).identity().expiresAt
    }
}
