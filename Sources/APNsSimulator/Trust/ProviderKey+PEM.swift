// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Crypto

extension ProviderKey {
    /// The public half of a key that the simulator made.
    init(_ key: SimulatorProviderKey) throws {
        let privateKey = try P256.Signing.PrivateKey(pemRepresentation: key.p8)
        self.init(keyID: key.keyID, teamID: key.teamID, publicKey: privateKey.publicKey)
    }

    /// The public key in a PEM document, given itself or with its private half; `nil` if there is no P-256 key in it.
    static func publicKey(pem: String) -> P256.Signing.PublicKey? {
        if let key = try? P256.Signing.PublicKey(pemRepresentation: pem) { return key }
        return (try? P256.Signing.PrivateKey(pemRepresentation: pem))?.publicKey
    }
}
