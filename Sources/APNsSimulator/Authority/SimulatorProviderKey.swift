// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Crypto

/// A provider key with its private half, such as one downloads from Apple as a `.p8` file.
public struct SimulatorProviderKey: Sendable, Hashable {
    /// The key's identifier, 10 characters: `kid` of provider tokens.
    public var keyID: String
    /// The team, 10 characters: `iss` of provider tokens.
    public var teamID: String
    /// The private key: PKCS #8, PEM, P-256.
    ///
    /// A secret.
    public var p8: String

    /// A key that exists.
    public init(keyID: String, teamID: String, p8: String) {
        self.keyID = keyID
        self.teamID = teamID
        self.p8 = p8
    }

    /// A new key with random identifiers where none are given.
    static func make(keyID: String? = nil, teamID: String? = nil) -> SimulatorProviderKey {
        SimulatorProviderKey(
            keyID: keyID ?? self.randomIdentifier(),
            teamID: teamID ?? self.randomIdentifier(),
            p8: P256.Signing.PrivateKey().pemRepresentation + "\n"
        )
    }

    /// 10 digits and upper-case letters, as Apple's identifiers look.
    private static func randomIdentifier() -> String {
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ23456789")
        return String((0..<10).compactMap { _ in alphabet.randomElement() })
    }
}
