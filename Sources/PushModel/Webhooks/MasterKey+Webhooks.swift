// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

extension MasterKey {
    /// Encrypts a webhook's secret for the store.
    ///
    /// - Parameters:
    ///   - secret: the secret in the clear.
    ///   - webhook: the webhook that it belongs to; the sealed bytes open for no other one.
    /// - Returns: the nonce (12 bytes), the ciphertext and the tag (16 bytes).
    public func seal(_ secret: WebhookSecret, for webhook: WebhookID) -> [UInt8] {
        self.seal(secret.bytes, context: Self.context(of: webhook))
    }

    /// Decrypts the secret of a webhook.
    ///
    /// - Throws: ``MasterKeyError`` `.cannotOpen` when the key is another one, or the bytes were changed or belong to
    ///   another webhook; these cannot be told apart.
    public func secret(of webhook: Webhook) throws(MasterKeyError) -> WebhookSecret {
        do {
            return WebhookSecret(bytes: try self.open(webhook.sealedSecret, context: Self.context(of: webhook.id)))
        } catch {
            throw MasterKeyError(
                code: .cannotOpen,
                message: "The secret of webhook '\(webhook.id)' was sealed under another master key, or its bytes were "
                    + "changed. Start with the master key it was created under, or create the webhook again.",
                cause: error
            )
        }
    }

    private static func context(of webhook: WebhookID) -> [UInt8] {
        Array("apus webhook \(webhook.rawValue)".utf8)
    }
}
