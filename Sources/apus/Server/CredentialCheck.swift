// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNsClient
import Delivery
import PushAPI
import PushModel

/// Reads a credential exactly as it will be read for sending, before it is stored.
struct CredentialCheck: CredentialInspector {
    func inspect(_ material: CredentialMaterial, as kind: CredentialKind) throws(CredentialRefusal) {
        do {
            _ = try APNsCredential(material, as: kind)
        } catch {
            throw CredentialRefusal(
                code: error.code == .wrongPassword ? .wrongPassword : .unreadable,
                found: error.message
            )
        }
    }
}
