// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import PushModel
import SNSProtocol

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Makes credentials of what callers of the SNS endpoint give.
struct SNSCredentialDesk: Sendable {
    /// A credential that was read, and what applications say of it.
    struct Reading {
        var credential: PlatformCredential

        /// What stands in it, where it is a certificate.
        var facts: CertificateFacts?
    }

    private static let method = "AuthenticationMethod"
    private static let expiry = "AppleCertificateExpiryDate"

    let inspector: any CredentialInspector
    let masterKey: MasterKey
    let now: @Sendable () -> Date

    /// Reads a credential as it will be read for sending.
    ///
    /// - Throws: `SNSError` `InvalidParameter` that says what is wrong with it, never what it is.
    func read(_ credential: PlatformCredential) throws(SNSError) -> Reading {
        let material = credential.material
        do {
            try self.inspector.inspect(material, as: credential.kind)
            return Reading(credential: credential, facts: self.inspector.facts(of: material, as: credential.kind))
        } catch {
            throw PlatformCredential.invalid(error.found)
        }
    }

    /// The credential as it is stored.
    func stored(_ reading: Reading, of app: AppID, in environment: APNsEnvironment) -> Credential {
        let id = CredentialID(unchecked: APNsID.random().description)
        return Credential(
            id: id,
            app: app,
            kind: reading.credential.kind,
            environments: [environment],
            secret: .sealed(self.masterKey.seal(reading.credential.material, for: id)),
            createdAt: Date(millisecondsSince1970: self.now().millisecondsSince1970)
        )
    }

    /// The attributes by which an application says how it is authenticated; empty ones take away what it said before.
    func attributes(of reading: Reading) -> [String: String] {
        let expiry = reading.facts?.expiresAt.formatted(Date.ISO8601FormatStyle()) ?? ""
        guard case .token = reading.credential else { return [Self.method: "certificate", Self.expiry: expiry] }
        return [Self.method: "token", Self.expiry: expiry]
    }
}
