// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

extension MasterKey {
    /// Encrypts the signing secret of an API key for the store.
    ///
    /// - Parameters:
    ///   - secret: the secret in the clear.
    ///   - key: the API key that it belongs to; the sealed bytes open for no other one.
    /// - Returns: the nonce (12 bytes), the ciphertext and the tag (16 bytes).
    public func seal(_ secret: SigningSecret, for key: APIKeyID) -> [UInt8] {
        self.seal(Array(secret.text.utf8), context: Self.context(of: key))
    }

    /// Decrypts the signing secret of an API key; `nil` for a key that has none.
    ///
    /// - Throws: ``MasterKeyError`` `.cannotOpen` when the master key is another one, or the bytes were changed or belong
    ///   to another key; these cannot be told apart.
    public func signingSecret(of key: APIKey) throws(MasterKeyError) -> SigningSecret? {
        guard let sealed = key.sealedSigningSecret else { return nil }
        do {
            let clear = try self.open(sealed, context: Self.context(of: key.id))
            return SigningSecret(text: String(decoding: clear, as: UTF8.self))
        } catch {
            throw MasterKeyError(
                code: .cannotOpen,
                message:
                    "The signing secret of the API key '\(key.id)' was sealed under another master key, or its bytes "
                    + "were changed. Start with the master key it was made under, or make another key.",
                cause: error
            )
        }
    }

    private static func context(of key: APIKeyID) -> [UInt8] {
        Array("apus signing secret \(key.rawValue)".utf8)
    }
}
