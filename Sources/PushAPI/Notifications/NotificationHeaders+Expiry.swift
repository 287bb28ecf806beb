// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension NotificationHeaders {
    /// Until when the server tries: as long as APNs would keep the notification, where the caller set an end to that.
    ///
    /// An end that has passed, and `0`, ask for one attempt, which is made.
    func expiresAt(now: Date) -> Date? {
        guard let seconds = self.expiration?.rawValue else { return nil }
        let end = Date(timeIntervalSince1970: Double(seconds))
        return end > now ? end : nil
    }
}
