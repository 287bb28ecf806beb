// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import PushModel
import Synchronization

/// Opens the signing secrets of API keys, and keeps the opened ones in memory.
///
/// A secret counts only for the sealed bytes from which it was opened. The caller reads the key for each request, so a
/// replaced or revoked key takes effect as soon as the caller reads the change.
final class SigningSecretCache: Sendable {
    static let capacity = 1024

    private let masterKey: MasterKey
    private let opened = Mutex<[APIKeyID: (sealed: [UInt8], secret: SigningSecret)]>([:])

    init(_ masterKey: MasterKey) {
        self.masterKey = masterKey
    }

    /// The signing secret of a key; `nil` for a key that has none.
    ///
    /// - Throws: `MasterKeyError` if the master key does not open it.
    func secret(of key: APIKey) throws(MasterKeyError) -> SigningSecret? {
        guard let sealed = key.sealedSigningSecret else { return nil }
        if let known = self.opened.withLock({ $0[key.id] }), known.sealed == sealed { return known.secret }
        guard let secret = try self.masterKey.signingSecret(of: key) else { return nil }
        self.opened.withLock { opened in
            if opened.count >= Self.capacity { opened.removeAll() }
            opened[key.id] = (sealed, secret)
        }
        return secret
    }
}
