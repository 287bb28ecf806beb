// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import CPKCS12
import Crypto
import NIOSSL

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// Authenticates a provider to APNs.
public enum APNsCredential: Hashable, Sendable {
    /// A signing key: every request carries a provider token.
    case key(ProviderKey)
    /// A client certificate in the TLS handshake.
    case certificate(ClientCertificate)
}

/// A provider's signing key: the `.p8` file of an Apple developer account, its key id and its team id.
///
/// Two keys are equal when their ids and their public halves are.
public struct ProviderKey: Hashable, Sendable, CustomStringConvertible {
    /// The key's id: ten letters and digits.
    public let keyID: String
    /// The team's id: ten letters and digits.
    public let teamID: String
    let privateKey: P256.Signing.PrivateKey
    private let publicKey: [UInt8]

    /// Reads a key.
    ///
    /// - Parameters:
    ///   - keyID: ten letters and digits, as Apple shows it beside the key.
    ///   - teamID: ten letters and digits, as Apple shows it for the account.
    ///   - pem: the content of the `.p8` file: a P-256 private key, PKCS#8 in PEM.
    /// - Throws: ``APNsClientError`` `invalidKey` or `invalidIdentifier`.
    public init(keyID: String, teamID: String, pem: String) throws(APNsClientError) {
        try Self.check(keyID, named: "key id")
        try Self.check(teamID, named: "team id")
        self.keyID = keyID
        self.teamID = teamID
        do {
            self.privateKey = try P256.Signing.PrivateKey(pemRepresentation: pem)
            self.publicKey = Array(self.privateKey.publicKey.rawRepresentation)
        } catch {
            throw APNsClientError(
                code: .invalidKey,
                message: "the key \(keyID) is not a P-256 private key in PEM; use the .p8 file as Apple gave it",
                cause: error
            )
        }
    }

    private static func check(_ text: String, named name: String) throws(APNsClientError) {
        let isValid =
            text.utf8.count == ProviderTokenRequirements.identifierLength
            && text.utf8.allSatisfy { (48...57).contains($0) || (65...90).contains($0) || (97...122).contains($0) }
        guard !isValid else { return }
        let length = ProviderTokenRequirements.identifierLength
        throw APNsClientError(
            code: .invalidIdentifier,
            message: "the \(name) \"\(text.prefix(20))\" is not \(length) letters and digits"
        )
    }

    /// Signs a provider token for a tool that sends requests by other means than this client.
    ///
    /// - Parameter now: the token's `iat`; APNs takes it for an hour.
    /// - Returns: the value of `authorization`: `bearer ` and the token.
    /// - Throws: ``APNsClientError`` `invalidKey` when signing fails.
    public func authorization(now: Date) throws(APNsClientError) -> String {
        String(decoding: try ProviderToken(key: self, now: now).headerValue, as: UTF8.self)
    }

    /// The ids; never the key.
    public var description: String { "key \(self.keyID) of team \(self.teamID)" }

    /// Whether both are the same key of the same team.
    public static func == (left: ProviderKey, right: ProviderKey) -> Bool {
        left.keyID == right.keyID && left.teamID == right.teamID && left.publicKey == right.publicKey
    }

    /// Hashes the ids.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(self.keyID)
        hasher.combine(self.teamID)
    }
}

/// A client certificate with its key, with which a provider authenticates itself in the TLS handshake.
///
/// Two are equal when their certificates and their keys are.
public struct ClientCertificate: Hashable, Sendable, CustomStringConvertible {
    let chain: [NIOSSLCertificate]
    let privateKey: NIOSSLPrivateKey
    private let fingerprint: [UInt8]

    /// Reads a PKCS#12 file, as Keychain Access exports it.
    ///
    /// - Parameters:
    ///   - p12: the file's bytes.
    ///   - password: its password; empty where it has none.
    /// - Throws: ``APNsClientError`` `wrongPassword` or `invalidCertificate`; the latter also when the key is not the
    ///   certificate's.
    public init(p12: [UInt8], password: String) throws(APNsClientError) {
        guard apus_pkcs12_inspect(p12, p12.count, password) != apus_pkcs12_incomplete else {
            throw APNsClientError(
                code: .invalidCertificate,
                message: "the file holds no private key with a certificate that belongs to it; export both together"
            )
        }
        let bundle: NIOSSLPKCS12Bundle
        do {
            bundle = try NIOSSLPKCS12Bundle(buffer: p12, passphrase: password.utf8)
        } catch {
            throw Self.failure(openingPKCS12: error)
        }
        try self.init(chain: bundle.certificateChain, privateKey: bundle.privateKey)
    }

    /// Reads a PEM file that holds the certificate, those that signed it, and the private key.
    ///
    /// - Parameter pem: the file's bytes.
    /// - Throws: ``APNsClientError`` `invalidCertificate`, also when the key is not the certificate's.
    public init(pem: [UInt8]) throws(APNsClientError) {
        do {
            let chain = try NIOSSLCertificate.fromPEMBytes(pem)
            let privateKey = try NIOSSLPrivateKey(bytes: pem, format: .pem)
            try self.init(chain: chain, privateKey: privateKey)
        } catch let error as APNsClientError {
            throw error
        } catch {
            throw APNsClientError(
                code: .invalidCertificate,
                message: "the file is not a certificate with its private key in PEM; put both in one file",
                cause: error
            )
        }
    }

    private init(chain: [NIOSSLCertificate], privateKey: NIOSSLPrivateKey) throws(APNsClientError) {
        guard let leaf = chain.first, let encoded = try? leaf.toDERBytes() else {
            throw APNsClientError(code: .invalidCertificate, message: "the file holds a key but no certificate")
        }
        self.chain = chain
        self.privateKey = privateKey
        self.fingerprint = Array(SHA256.hash(data: encoded))
        try self.checkKey()
    }

    /// Has TLS compare the two halves of the key, since a handshake would only fail with them, again and again.
    private func checkKey() throws(APNsClientError) {
        var configuration = TLSConfiguration.makeClientConfiguration()
        configuration.trustRoots = .certificates([])
        configuration.certificateChain = self.chain.map { .certificate($0) }
        configuration.privateKey = .privateKey(self.privateKey)
        do {
            _ = try NIOSSLContext(configuration: configuration)
        } catch {
            throw APNsClientError(
                code: .invalidCertificate,
                message: "the private key does not belong to the first certificate; put the two that belong together"
                    + " in one file, the app's certificate before those that signed it",
                cause: error
            )
        }
    }

    private static func failure(openingPKCS12 error: any Error) -> APNsClientError {
        // BoringSSL reports INCORRECT_PASSWORD for a wrong password, and an ASN.1 error for data that is not PKCS#12.
        if "\(error)".contains("INCORRECT_PASSWORD") {
            return APNsClientError(
                code: .wrongPassword,
                message: "the PKCS#12 file does not open with this password",
                cause: error
            )
        }
        return APNsClientError(
            code: .invalidCertificate,
            message: "the file is not PKCS#12, or not in a form that can be read; export it again as .p12",
            cause: error
        )
    }

    /// The certificate itself in DER, without those that signed it.
    ///
    /// - Throws: ``APNsClientError`` `invalidCertificate`.
    public func encoded() throws(APNsClientError) -> [UInt8] {
        guard let leaf = self.chain.first, let bytes = try? leaf.toDERBytes() else {
            throw APNsClientError(code: .invalidCertificate, message: "the certificate cannot be written as DER")
        }
        return bytes
    }

    /// The beginning of the certificate's SHA-256; never the key.
    public var description: String {
        "certificate \(Hex.text(self.fingerprint.prefix(6)))"
    }

    /// Whether both are the same certificate with the same key.
    public static func == (left: ClientCertificate, right: ClientCertificate) -> Bool {
        left.fingerprint == right.fingerprint && left.privateKey == right.privateKey
    }

    /// Hashes the certificate's fingerprint, which names its key as well.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(self.fingerprint)
    }
}
