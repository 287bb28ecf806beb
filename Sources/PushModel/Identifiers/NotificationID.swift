// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import APNs

/// Names a notification as its caller knows it: one request, to however many targets.
///
/// Notifications sort by the time at which they were accepted.
public struct NotificationID: TimeOrderedIdentifier {
    /// The id as 16 bytes.
    public let value: APNsID

    /// Takes any 16 bytes as an id.
    public init(_ value: APNsID) {
        self.value = value
    }
}
