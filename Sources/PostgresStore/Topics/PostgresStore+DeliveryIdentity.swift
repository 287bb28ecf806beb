// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import PushStore

extension PostgresStore: DeliveryIdentityStore {
    /// The identity that there is; see `DeliveryIdentityStore`.
    public func deliveryIdentity() async throws -> StoredDeliveryIdentity? {
        try await self.read { try $0.deliveryIdentity() }
    }

    /// Puts an identity into the place of another one; see `DeliveryIdentityStore`.
    public func replaceDeliveryIdentity(
        _ former: StoredDeliveryIdentity?,
        with identity: StoredDeliveryIdentity
    ) async throws -> StoredDeliveryIdentity {
        try await self.write { connection in
            // Others that do the same wait here; whoever only reads does not.
            try connection.queue("LOCK TABLE delivery_identity IN SHARE ROW EXCLUSIVE MODE")
            let known = try connection.deliveryIdentity()
            if let known, known != former { return known }
            try connection.queue("DELETE FROM delivery_identity")
            try connection.queue(
                "INSERT INTO delivery_identity (number, certificate, sealed_key) VALUES (1, $1, $2)",
                [.text(identity.certificate), .bytes(identity.sealedKey)]
            )
            return identity
        }
    }
}

extension PostgresConnection {
    fileprivate func deliveryIdentity() throws -> StoredDeliveryIdentity? {
        try self.row("SELECT certificate, sealed_key FROM delivery_identity").map { row in
            StoredDeliveryIdentity(certificate: try row.string("certificate"), sealedKey: try row.blob("sealed_key"))
        }
    }
}
