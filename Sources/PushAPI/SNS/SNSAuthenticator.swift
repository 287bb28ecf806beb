// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Foundation
import PushModel
import PushStore
import SNSProtocol

/// Finds out who has signed a request.
struct SNSAuthenticator: Sendable {
    /// The claim of a request before its body is read: the key that signed it.
    ///
    /// The key exists and is valid, and so is the time. The signature is not verified yet.
    struct Claim: Sendable {
        fileprivate let signature: RequestSignature
        fileprivate let key: APIKey
        fileprivate let credential: SigningCredential
    }

    let keys: APIKeyAuthenticator
    let configuration: SNSConfiguration
    let now: @Sendable () -> Date
    private let secrets: SigningSecretCache
    private let verifier: SignatureVerifier

    init(
        keys: APIKeyAuthenticator,
        masterKey: MasterKey,
        configuration: SNSConfiguration,
        now: @escaping @Sendable () -> Date
    ) {
        self.keys = keys
        self.secrets = SigningSecretCache(masterKey)
        self.configuration = configuration
        self.verifier = SignatureVerifier(
            ignoresSessionTokens: configuration.ignoresSessionToken,
            maximumLifetime: configuration.maximumPresignedSeconds
        )
        self.now = now
    }

    /// Returns the claim of a request, whose body may be missing; `nil` for an unsigned request.
    ///
    /// - Throws: ``Problem`` `.tooManyFailures`, `SNSError` for an invalid signature, `MasterKeyError` if the secret
    ///   cannot be opened, and the errors of the store.
    func claim(of request: SignedRequest, admittedBy gate: CallerGate) async throws -> Claim? {
        guard let signature = try RequestSignature.read(from: request) else { return nil }
        let now = self.now()
        guard let id = APIKeyID(accessKeyID: signature.scope.accessKeyID) else { throw SignatureVerifier.foreignKey }
        try gate.admit(id)
        guard let key = try await self.keys.key(id), key.refusal(now: now) == nil,
            let secret = try self.secrets.secret(of: key)
        else { throw SignatureVerifier.unknownKey }
        let credential = SigningCredential(accessKeyID: id.accessKeyID, secret: secret.text)
        try self.verifier.check(signature, with: credential, now: now)
        return Claim(signature: signature, key: key, credential: credential)
    }

    /// Who has signed a request that has its body.
    ///
    /// - Throws: `SNSError` for a signature that is not the request's, or for another region; ``Problem``
    ///   `.addressNotAllowed`.
    func caller(
        of request: SignedRequest,
        claiming claim: Claim,
        admittedBy gate: CallerGate
    ) throws -> SNSPrincipal {
        try self.verifier.verify(claim.signature, of: request, with: claim.credential)
        try gate.checkAddress(of: claim.key)
        self.keys.noteUse(of: claim.key, from: { gate.client })
        let region = claim.signature.scope.region
        guard self.configuration.region == nil || self.configuration.region == region,
            let scope = SNSScope(region: region, account: self.configuration.account)
        else {
            throw SNSError(
                .signatureDoesNotMatch,
                "Credential should be scoped to a valid region, not '\(region)'."
            )
        }
        return SNSPrincipal(key: claim.key, scope: scope)
    }
}

/// The authenticated caller of a request, and the account and region of its resources.
struct SNSPrincipal: Sendable {
    /// The API key whose secret signed.
    let key: APIKey

    /// The region that was signed for, and the server's account.
    let scope: SNSScope

    /// The URL of the endpoint for messages to subscribers; `nil` if it is unknown.
    var server: String?

    /// Checks that the key may do this for some app at least.
    ///
    /// - Throws: `SNSError` `AuthorizationError`.
    func check(_ action: SNSAction) throws(SNSError) {
        let scopes = action.scopes
        guard !scopes.contains(where: self.key.scopes.contains), !self.key.scopes.contains(.admin) else { return }
        let names = scopes.map { "'\($0.rawValue)'" }.joined(separator: " or ")
        throw self.refusal(of: action, because: "it lacks the scope \(names)")
    }

    /// Checks that the policy of the key allows an action on a resource, named as at the end of its ARN.
    ///
    /// - Throws: `SNSError` `AuthorizationError`.
    func checkPolicy(_ action: SNSAction, on resource: String) throws(SNSError) {
        guard let policy = self.key.policy else { return }
        let name = action.policyName
        let found = KeyPolicy.Resource(
            partition: self.scope.partition,
            region: self.scope.region,
            account: self.scope.account,
            name: resource
        )
        let because: String
        switch policy.decision(on: name, of: found) {
        case .allowed: return
        case .notAllowed: because = "because no identity-based policy allows the SNS:\(name) action"
        case .denied: because = "with an explicit deny in an identity-based policy"
        }
        let arn = "arn:\(self.scope.partition):sns:\(self.scope.region):\(self.scope.account):\(resource)"
        throw SNSError(
            .authorizationError,
            "User: \(self.user) is not authorized to perform: SNS:\(name) on resource: \(arn) \(because)"
        )
    }

    /// Checks that the key may do this for an app.
    ///
    /// - Throws: `SNSError` `AuthorizationError`.
    func check(_ action: SNSAction, for app: AppID) throws(SNSError) {
        guard let bound = self.key.app, bound != app else { return }
        throw self.refusal(of: action, because: "it may be used for '\(bound)' only")
    }

    /// Why the key may not do something; the reason follows "because".
    func refusal(of action: SNSAction, because reason: String) -> SNSError {
        SNSError(
            .authorizationError,
            "User: \(self.user) is not authorized to perform: SNS:\(action.rawValue) because \(reason)"
        )
    }
}

extension SNSPrincipal {
    private var user: String {
        "arn:\(self.scope.partition):iam::\(self.scope.account):user/\(self.key.id.accessKeyID)"
    }
}

extension SNSAction {
    /// The name of the action in policies: AWS has one for both ways to publish.
    var policyName: String { self == .publishBatch ? Self.publish.rawValue : self.rawValue }

    /// The scopes, one of which a key must have.
    fileprivate var scopes: [Scope] {
        switch self {
        case .createPlatformApplication, .deletePlatformApplication, .setPlatformApplicationAttributes: [.admin]
        case .getPlatformApplicationAttributes, .listPlatformApplications: [.read, .devices, .send]
        case .createPlatformEndpoint, .deleteEndpoint, .setEndpointAttributes: [.devices]
        case .getEndpointAttributes, .listEndpointsByPlatformApplication: [.devices, .read]
        case .publish, .publishBatch: [.send]
        case .createTopic, .deleteTopic, .setTopicAttributes, .addPermission, .removePermission, .tagResource,
            .untagResource:
            [.campaigns]
        case .subscribe, .confirmSubscription, .unsubscribe, .setSubscriptionAttributes: [.campaigns, .devices]
        case .getTopicAttributes, .listTopics, .listTagsForResource, .getSubscriptionAttributes, .listSubscriptions,
            .listSubscriptionsByTopic:
            [.read, .campaigns]
        }
    }
}
