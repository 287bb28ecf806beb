// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import PushStore

extension DeliveryIdentityStore where Self: SQLBacked {
    public func deliveryIdentity() async throws -> StoredDeliveryIdentity? {
        try await self.sql.read { try $0.deliveryIdentity() }
    }

    public func replaceDeliveryIdentity(
        _ former: StoredDeliveryIdentity?,
        with identity: StoredDeliveryIdentity
    ) async throws -> StoredDeliveryIdentity {
        try await self.sql.write { transaction in
            // Concurrent replacements wait here, reads do not.
            try transaction.lock("LOCK TABLE delivery_identity IN SHARE ROW EXCLUSIVE MODE")
            let known = try transaction.deliveryIdentity()
            if let known, known != former { return known }
            try transaction.run(
                """
                INSERT INTO delivery_identity (number, certificate, sealed_key)
                VALUES (1, \(identity.certificate), \(identity.sealedKey))
                ON CONFLICT (number) DO UPDATE SET certificate = excluded.certificate, sealed_key = excluded.sealed_key
                """
            )
            return identity
        }
    }
}

extension SQLExecutor {
    fileprivate func deliveryIdentity() throws -> StoredDeliveryIdentity? {
        try self.first("SELECT certificate, sealed_key FROM delivery_identity").map { row in
            StoredDeliveryIdentity(certificate: try row.string("certificate"), sealedKey: try row.blob("sealed_key"))
        }
    }
}
