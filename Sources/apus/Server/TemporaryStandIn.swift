// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Logging
import PushAPI
import PushModel
import PushStore
import SQLiteStore
import ServiceLifecycle

struct CredentialCheck: CredentialInspector {
    func inspect(_ material: CredentialMaterial, as kind: CredentialKind) throws(CredentialRefusal) {}
}

extension Server {
    func delivery(from store: SQLiteStore, masterKey: MasterKey) throws -> any Service { InputWatch(logger: self.logger) }
}
