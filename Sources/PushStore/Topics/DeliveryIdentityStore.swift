// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// What signs all that is posted to URLs that are subscribed to topics; one for all processes on a store.
public protocol DeliveryIdentityStore: Sendable {
    /// The identity that there is, or `nil`.
    ///
    /// - Throws: ``StoreError``.
    func deliveryIdentity() async throws -> StoredDeliveryIdentity?

    /// Puts an identity into the place of another one, unless somebody else was faster.
    ///
    /// - Parameters:
    ///   - former: the identity that is there, to the caller's knowledge; `nil` for none.
    ///   - identity: the one to put there.
    /// - Returns: the one that is there now.
    /// - Throws: ``StoreError``.
    func replaceDeliveryIdentity(
        _ former: StoredDeliveryIdentity?,
        with identity: StoredDeliveryIdentity
    ) async throws -> StoredDeliveryIdentity
}

/// A certificate and its sealed key.
public struct StoredDeliveryIdentity: Hashable, Sendable {
    /// The certificate in PEM, which everybody may see.
    public var certificate: String

    /// The key, sealed by the master key.
    public var sealedKey: [UInt8]

    /// Takes both.
    public init(certificate: String, sealedKey: [UInt8]) {
        self.certificate = certificate
        self.sealedKey = sealedKey
    }
}
