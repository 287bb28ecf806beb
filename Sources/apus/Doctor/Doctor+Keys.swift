// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Foundation
import PushModel

extension Doctor {
    /// Finds API keys that expire soon and have no successor.
    func checkAPIKeys() async -> [DoctorFinding] {
        guard let keys = await self.store.value.contents?.keys else {
            return [.skipped("not run, because the database has not been read")]
        }
        let valid = keys.filter { $0.refusal(now: self.now) == nil }
        let findings = valid.compactMap { key -> DoctorFinding? in
            guard let end = key.expiryToWarn(now: self.now), key.replacedBy == nil else { return nil }
            let lastUse = key.lastUsedAt.map { "last used \($0.ISO8601Format())" } ?? "never used"
            return .warning(
                "The API key \(key.id) (\(key.name)) expires on \(end.ISO8601Format()); \(lastUse).",
                effect: "From then on, requests with it get 401.",
                fix: "Replace it: apus keys rotate \(key.id) --days N"
            )
        }
        let count = valid.count == 1 ? "1 key is" : "\(valid.count) keys are"
        return findings.isEmpty ? [.ok("\(count) valid, and none expires within 14 days")] : findings
    }
}
