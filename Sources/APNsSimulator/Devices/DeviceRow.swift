// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs

/// A device as all devices are kept, in 32 bytes; what makes one unlike others stands in a ``DeviceState``.
struct DeviceRow: Sendable, BitwiseCopyable {
    /// The place of its oldest notification in the log.
    var first = LogEntry.none
    /// The place of its newest notification in the log.
    var last = LogEntry.none
    /// How many of its notifications are in the log.
    var kept: UInt32 = 0
    /// How many arrived and are no longer kept.
    var dropped: UInt32 = 0
    /// The place of its state; -1 while it is like others.
    var state: Int32 = -1
    /// The place of the notification that waits for it; -1 for none, and always so with a state.
    var waiting: Int32 = -1
    /// The first of its registrations, which follow one another as long as it is like others.
    let origin: RegistrationIndex
    /// How many registrations it has, as long as it is like others.
    var registrations: UInt8
    /// A number, since any byte of a document is one.
    private let production: UInt8

    init(origin: RegistrationIndex, registrations: Int, isProduction: Bool) {
        self.origin = origin
        self.registrations = UInt8(clamping: registrations)
        self.production = isProduction ? 1 : 0
    }

    var isProduction: Bool { self.production != 0 }

    /// How many notifications have arrived, kept or not.
    var arrived: UInt64 { UInt64(self.kept) + UInt64(self.dropped) }
}
