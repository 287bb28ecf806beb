// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// A record whose secret part the store keeps sealed under the master key.
public enum SealedItem: Hashable, Sendable {
    case credential(CredentialID)

    /// The secret that signs the requests of a webhook.
    case webhook(WebhookID)

    /// The secret by which the holder of an API key signs requests to the SNS endpoint.
    case signingSecret(APIKeyID)

    /// User and password of a URL that is subscribed to a topic.
    case subscriptionUser(SubscriptionID)

    /// The key that signs deliveries to URLs. A store has at most one.
    case deliveryIdentity
}

extension SealedItem: CustomStringConvertible {
    public var description: String {
        switch self {
        case .credential(let id): "credential '\(id)'"
        case .webhook(let id): "the secret of webhook '\(id)'"
        case .signingSecret(let id): "the signing secret of the API key '\(id)'"
        case .subscriptionUser(let id): "the user of subscription '\(id)'"
        case .deliveryIdentity: "the key that signs deliveries to URLs"
        }
    }
}

extension SealedItem {
    /// The bytes that AES-GCM authenticates, so that sealed bytes open only for their own record.
    var context: [UInt8] {
        switch self {
        case .credential(let id): Array("apus credential \(id.rawValue)".utf8)
        case .webhook(let id): Array("apus webhook \(id.rawValue)".utf8)
        case .signingSecret(let id): Array("apus signing secret \(id.rawValue)".utf8)
        case .subscriptionUser(let id): Array("apus subscription user \(id)".utf8)
        case .deliveryIdentity: Array("apus delivery identity".utf8)
        }
    }

    /// The message of an error for sealed bytes that none of the keys opens.
    ///
    /// `keys` has the ids of these keys.
    func cannotOpen(under keys: [String]) -> String {
        let subject = self.description.prefix(1).uppercased() + self.description.dropFirst()
        let names = keys.joined(separator: " or ")
        return "\(subject) was sealed under another master key than \(names), or its bytes were changed.\(self.remedy)"
    }

    private var remedy: String {
        switch self {
        case .credential: " Start with the master key it was added under, or add the credential again."
        case .webhook: " Start with the master key it was created under, or create the webhook again."
        case .signingSecret: " Start with the master key it was made under, or make another key."
        case .subscriptionUser: " Start with that master key, or unsubscribe and subscribe again."
        case .deliveryIdentity: ""
        }
    }
}
