// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

extension MasterKey {
    private static let deliveryContext = Array("apus delivery identity".utf8)

    /// Encrypts the key that signs deliveries to URLs, for the store.
    ///
    /// - Parameter keyPEM: the private key in PEM.
    /// - Returns: the nonce (12 bytes), the ciphertext and the tag (16 bytes).
    public func seal(deliveryKey keyPEM: String) -> [UInt8] {
        self.seal(Array(keyPEM.utf8), context: Self.deliveryContext)
    }

    /// Decrypts the key that signs deliveries to URLs.
    ///
    /// - Throws: ``MasterKeyError`` `.cannotOpen` when the master key is another one, or the bytes were changed.
    public func deliveryKey(_ sealed: [UInt8]) throws(MasterKeyError) -> String {
        do {
            return String(decoding: try self.open(sealed, context: Self.deliveryContext), as: UTF8.self)
        } catch {
            throw MasterKeyError(
                code: .cannotOpen,
                message:
                    "The key that signs deliveries to URLs was sealed under another master key, or its bytes were changed.",
                cause: error
            )
        }
    }
}
