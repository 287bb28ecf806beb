// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Foundation
public import PushStore
import SQLite

extension SQLiteStore: DeliveryIdentityStore {
    /// The identity that there is; see `DeliveryIdentityStore`.
    public func deliveryIdentity() async throws -> StoredDeliveryIdentity? {
        try await self.read { try $0.deliveryIdentity() }
    }

    /// Puts an identity into the place of another one; see `DeliveryIdentityStore`.
    public func replaceDeliveryIdentity(
        _ former: StoredDeliveryIdentity?,
        with identity: StoredDeliveryIdentity
    ) async throws -> StoredDeliveryIdentity {
        try await self.write { database in
            let known = try database.deliveryIdentity()
            if let known, known != former { return known }
            try database.run(
                "INSERT OR REPLACE INTO delivery_identity (number, certificate, sealed_key) VALUES (1, ?, ?)",
                [identity.certificate, identity.sealedKey]
            )
            return identity
        }
    }
}

extension Database {
    fileprivate func deliveryIdentity() throws -> StoredDeliveryIdentity? {
        try self.row("SELECT certificate, sealed_key FROM delivery_identity").map { row in
            StoredDeliveryIdentity(certificate: try row.string("certificate"), sealedKey: try row.blob("sealed_key"))
        }
    }
}
