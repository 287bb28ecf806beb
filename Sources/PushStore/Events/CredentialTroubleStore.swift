// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import PushModel

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// Which credentials are in trouble, so that its beginning and its end are told once each, by whichever process.
public protocol CredentialTroubleStore: Sendable {
    /// Nothing can be sent for a subject; appends `credential.troubled` unless that is known.
    ///
    /// - Parameters:
    ///   - trouble: the subject and what is wrong; while it is known, another cause changes nothing.
    ///   - now: when that was found.
    /// - Returns: whether it is news.
    /// - Throws: ``StoreError`` `.notFound` when there is no such app.
    @discardableResult
    func credentialTroubled(_ trouble: CredentialTrouble, now: Date) async throws -> Bool

    /// Something was sent for a subject; appends `credential.recovered` if it was in trouble.
    ///
    /// Cheap when it was not: nothing is written then.
    /// - Parameters:
    ///   - subject: what the credential is needed for.
    ///   - now: when that was found.
    /// - Returns: whether it is news.
    /// - Throws: ``StoreError``.
    @discardableResult
    func credentialRecovered(_ subject: CredentialTrouble.Subject, now: Date) async throws -> Bool
}
