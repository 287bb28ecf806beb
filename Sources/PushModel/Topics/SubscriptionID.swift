// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import APNs

/// Names a subscription: it cannot be guessed, since 74 of its bits are random.
///
/// Subscriptions sort by the time at which they were made.
public struct SubscriptionID: TimeOrderedIdentifier {
    /// The id as 16 bytes.
    public let value: APNsID

    /// Takes any 16 bytes as an id.
    public init(_ value: APNsID) {
        self.value = value
    }
}
