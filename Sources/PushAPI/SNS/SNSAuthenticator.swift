// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import PushModel
import PushStore
import SNSProtocol

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Finds out who has signed a request.
struct SNSAuthenticator: Sendable {
    let keys: KeyVerifier
    let masterKey: MasterKey
    let configuration: SNSConfiguration
    let now: @Sendable () -> Date
    private let verifier = SignatureVerifier()

    init(
        keys: KeyVerifier,
        masterKey: MasterKey,
        configuration: SNSConfiguration,
        now: @escaping @Sendable () -> Date
    ) {
        self.keys = keys
        self.masterKey = masterKey
        self.configuration = configuration
        self.now = now
    }

    /// Who has signed a request; `nil` when it is not signed at all.
    ///
    /// - Throws: `SNSError` for a signature that is not good, `MasterKeyError` when the secret cannot be opened, and what
    ///   the store throws.
    func caller(of request: SignedRequest) async throws -> SNSCaller? {
        guard let signature = try RequestSignature.read(from: request) else { return nil }
        let now = self.now()
        guard let id = APIKeyID(accessKeyID: signature.scope.accessKeyID) else { throw SignatureVerifier.foreignKey }
        guard let key = try await self.keys.key(id), key.refusal(now: now) == nil,
            let secret = try self.masterKey.signingSecret(of: key)
        else { throw SignatureVerifier.unknownKey }
        let credential = SigningCredential(accessKeyID: id.accessKeyID, secret: secret.text)
        try self.verifier.verify(signature, of: request, with: credential, now: now)
        let region = signature.scope.region
        guard self.configuration.region == nil || self.configuration.region == region,
            let scope = SNSScope(region: region, account: self.configuration.account)
        else {
            throw SNSError(
                .signatureDoesNotMatch,
                "Credential should be scoped to a valid region, not '\(region)'."
            )
        }
        return SNSCaller(key: key, scope: scope)
    }
}
