// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Crypto
import CryptoExtras
package import Foundation
package import PushModel
package import PushStore
package import SNSProtocol
import SwiftASN1
import Synchronization
import X509

/// Provides the RSA key and self-signed certificate that sign HTTP deliveries.
///
/// Creates them on first use. The store keeps the certificate and the sealed key. If the master key cannot open the
/// sealed key, the signer replaces both; subscribers read the new certificate from the URL in every delivery. It
/// replaces them only once. If another process then replaces the key again, the two processes have different master
/// keys. This process then signs nothing until the configuration is corrected, so that they do not replace the key in
/// turns.
package final class MessageSigner: Sendable {
    /// The validity of a certificate, which can be long because subscribers receive its URL from this server.
    private static let lifetime: TimeInterval = 20 * 365 * 24 * 3600

    private let store: any SigningIdentityStore
    private let masterKey: MasterKey
    private let now: @Sendable () -> Date
    private let opened = Mutex<(stored: StoredSigningIdentity, identity: SigningIdentity)?>(nil)

    package init(
        store: any SigningIdentityStore,
        masterKey: MasterKey,
        now: @escaping @Sendable () -> Date
    ) {
        self.store = store
        self.masterKey = masterKey
        self.now = now
    }

    /// Returns the current identity; creates it on first use.
    ///
    /// - Throws: `StoreError`; `SNSError` `InternalError` if a key cannot be created, or if another process has
    ///   replaced the key by one that this process cannot open.
    package func identity() async throws -> SigningIdentity {
        var stored = try await self.store.deliveryIdentity()
        while true {
            if let stored {
                if let identity = self.open(stored) { return identity }
                guard self.opened.withLock({ $0 == nil }) else { throw Self.replaced }
            }
            // If another process was faster, this returns its identity.
            stored = try await self.store.replaceDeliveryIdentity(stored, with: try self.make())
        }
    }

    /// Returns the current identity; `nil` if nothing was signed yet.
    ///
    /// - Throws: `StoreError`.
    package func madeIdentity() async throws -> SigningIdentity? {
        try await self.store.deliveryIdentity().flatMap { self.open($0) }
    }

    private static let replaced = SNSError(
        .internalError,
        "A process with another master key replaced the key that signs HTTP deliveries. Start all processes that share "
            + "this store with the same master key."
    )

    private func open(_ stored: StoredSigningIdentity) -> SigningIdentity? {
        if let known = self.opened.withLock({ $0 }), known.stored == stored { return known.identity }
        guard let key = try? self.masterKey.deliveryKey(stored.sealedKey),
            let identity = try? SigningIdentity(keyPEM: key, certificatePEM: stored.certificate, baseURL: "")
        else { return nil }
        self.opened.withLock { $0 = (stored, identity) }
        return identity
    }

    private func make() throws(SNSError) -> StoredSigningIdentity {
        do {
            let key = try _RSA.Signing.PrivateKey(keySize: .bits2048)
            let name = try DistinguishedName { CommonName("Apus topic deliveries") }
            let time = self.now()
            let certificate = try Certificate(
                version: .v3,
                serialNumber: Certificate.SerialNumber(),
                publicKey: Certificate.PublicKey(key.publicKey),
                notValidBefore: time.addingTimeInterval(-24 * 3600),
                notValidAfter: time.addingTimeInterval(Self.lifetime),
                issuer: name,
                subject: name,
                signatureAlgorithm: .sha256WithRSAEncryption,
                extensions: Certificate.Extensions {
                    Critical(BasicConstraints.notCertificateAuthority)
                    Critical(KeyUsage(digitalSignature: true))
                },
                issuerPrivateKey: Certificate.PrivateKey(key)
            )
            return StoredSigningIdentity(
                certificate: try certificate.serializeAsPEM().pemString + "\n",
                sealedKey: self.masterKey.seal(deliveryKey: key.pemRepresentation)
            )
        } catch {
            throw SNSError(.internalError, "Failed to create the key that signs deliveries.")
        }
    }
}
