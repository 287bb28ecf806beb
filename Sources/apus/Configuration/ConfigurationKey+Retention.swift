// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// How long records are kept.
extension ConfigurationKey {
    static let notificationDays = Self(
        "notifications.retentionDays",
        .integer(0...3650),
        fallback: "30",
        "retention of completed notifications, campaigns and token validations, and of ended Live Activities, in days; "
            + "0 keeps them forever"
    )

    static let eventDays = Self(
        "events.retentionDays",
        .integer(1...3650),
        fallback: "7",
        "retention of events for the feed and for webhooks, in days"
    )

    static let auditDays = Self(
        "audit.retentionDays",
        .integer(0...3650),
        fallback: "400",
        "retention of the audit log, in days; 0 keeps it forever"
    )

    static let inactiveDeviceDays = Self(
        "devices.inactiveRetentionDays",
        .integer(0...3650),
        fallback: "0",
        "retention of devices that do not register again, in days; 0 keeps them forever. They can still receive pushes, so "
            + "set it only if all apps register at each start"
    )

    static let invalidDeviceDays = Self(
        "devices.invalidRetentionDays",
        .integer(0...3650),
        fallback: "365",
        "retention of devices that APNs reported as unregistered, in days; 0 keeps them forever"
    )
}
