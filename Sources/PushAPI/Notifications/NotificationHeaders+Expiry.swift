// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension NotificationHeaders {
    /// Until when the server tries; see `APNsExpiration.patience(now:)`.
    func expiresAt(now: Date) -> Date? { self.expiration?.patience(now: now) }
}

extension APNsExpiration {
    /// Until when the server tries: as long as APNs would keep the notification, where the caller set an end to that.
    ///
    /// An end that has passed, and `0`, ask for one attempt, which is made.
    func patience(now: Date) -> Date? {
        let end = Date(timeIntervalSince1970: Double(self.rawValue))
        return end > now ? end : nil
    }
}
