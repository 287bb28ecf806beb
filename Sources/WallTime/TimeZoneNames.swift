// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Foundation
import Synchronization

/// The names of the time zones in Foundation's data, including aliases such as `Asia/Calcutta`.
package enum TimeZoneNames {
    package static let rule = "the IANA name of a time zone, such as 'Europe/Zurich'"

    /// The names that Foundation lists, which do not include `UTC`, aliases and, on Linux, `Asia/Kolkata`.
    private static let listed = Set(TimeZone.knownTimeZoneIdentifiers)

    /// The other names that were found, so that each is looked up in Foundation's data once.
    private static let unlisted = Mutex<Set<String>>([])

    /// More than there are aliases; names beyond it are looked up each time.
    private static let maximumUnlisted = 1000

    /// Whether there is a time zone with this name.
    ///
    /// Offsets such as `GMT+2` are no names, and `Etc/GMT+2` means the opposite.
    package static func contains(_ name: String) -> Bool {
        guard (1...64).contains(name.utf8.count), name.utf8.allSatisfy({ $0 < 0x80 }) else { return false }
        if self.listed.contains(name) { return true }
        if self.unlisted.withLock({ $0.contains(name) }) { return true }
        let isOffset = ["GMT+", "GMT-", "UTC+", "UTC-"].contains { name.utf8.starts(with: $0.utf8) }
        guard !isOffset, TimeZone(identifier: name) != nil else { return false }
        self.unlisted.withLock { names in
            if names.count < self.maximumUnlisted { names.insert(name) }
        }
        return true
    }
}
