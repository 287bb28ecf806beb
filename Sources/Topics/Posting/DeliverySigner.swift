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

/// Has what signs deliveries to URLs: an RSA key with a certificate that vouches for itself, made when it is first needed and
/// kept in the store, the key sealed.
///
/// A key that the master key does not open any more is replaced: subscribers get the new certificate by its URL, which stands
/// in every delivery. That is done once: when another process replaces the key of this one, both have different master keys, and
/// nothing is signed here until that is put right, lest they take turns in replacing it.
package final class DeliverySigner: Sendable {
    /// For how long a certificate holds; who verifies by it has been told where it is by this server.
    private static let lifetime: TimeInterval = 20 * 365 * 24 * 3600

    private let store: any DeliveryIdentityStore
    private let masterKey: MasterKey
    private let now: @Sendable () -> Date
    private let opened = Mutex<(stored: StoredDeliveryIdentity, identity: DeliveryIdentity)?>(nil)

    package init(
        store: any DeliveryIdentityStore,
        masterKey: MasterKey,
        now: @escaping @Sendable () -> Date
    ) {
        self.store = store
        self.masterKey = masterKey
        self.now = now
    }

    /// What signs now; made if need be.
    ///
    /// - Throws: `StoreError`; `SNSError` `InternalError` when a key cannot be made, or another process has replaced the one of
    ///   this one by one that cannot be opened.
    package func identity() async throws -> DeliveryIdentity {
        var stored = try await self.store.deliveryIdentity()
        while true {
            if let stored {
                if let identity = self.open(stored) { return identity }
                guard self.opened.withLock({ $0 == nil }) else { throw Self.replaced }
            }
            // Whoever is slower takes what the other one has made.
            stored = try await self.store.replaceDeliveryIdentity(stored, with: try self.make())
        }
    }

    /// What signs now; `nil` as long as nothing was to be signed.
    ///
    /// - Throws: `StoreError`.
    package func madeIdentity() async throws -> DeliveryIdentity? {
        try await self.store.deliveryIdentity().flatMap { self.open($0) }
    }

    private static let replaced = SNSError(
        .internalError,
        "The key that signs deliveries to URLs was replaced by a process with another master key. Start all processes that"
            + " share this store with the same one."
    )

    private func open(_ stored: StoredDeliveryIdentity) -> DeliveryIdentity? {
        if let known = self.opened.withLock({ $0 }), known.stored == stored { return known.identity }
        guard let key = try? self.masterKey.deliveryKey(stored.sealedKey),
            let identity = try? DeliveryIdentity(keyPEM: key, certificatePEM: stored.certificate, baseURL: "")
        else { return nil }
        self.opened.withLock { $0 = (stored, identity) }
        return identity
    }

    private func make() throws(SNSError) -> StoredDeliveryIdentity {
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
            return StoredDeliveryIdentity(
                certificate: try certificate.serializeAsPEM().pemString + "\n",
                sealedKey: self.masterKey.seal(deliveryKey: key.pemRepresentation)
            )
        } catch {
            throw SNSError(.internalError, "A key that signs deliveries could not be made.")
        }
    }
}
