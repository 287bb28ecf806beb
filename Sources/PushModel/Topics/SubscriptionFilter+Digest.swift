// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Crypto

extension SubscriptionFilter {
    /// The SHA-256 of scope and policy, by which a topic finds a policy that it has already.
    public var digest: [UInt8] {
        var hash = SHA256()
        hash.update(data: Array("\(self.scope.rawValue)\n".utf8))
        hash.update(data: Array(self.policy.utf8))
        return Array(hash.finalize())
    }
}
