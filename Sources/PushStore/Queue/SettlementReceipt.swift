// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// What a settlement changed.
public struct SettlementReceipt: Hashable, Sendable {
    /// Whether the slice had been settled before; then nothing else changed.
    public let wasRepeated: Bool

    /// Whether the batch is settled now.
    public let batchSettled: Bool

    /// Whether the notification is settled now, by this settlement.
    public let notificationSettled: Bool

    /// How many devices became invalid by it.
    public let pruned: Int

    /// How many devices became suspect by it.
    public let suspected: Int

    /// Describes what a settlement changed.
    ///
    /// - Parameters:
    ///   - wasRepeated: whether the slice had been settled before.
    ///   - batchSettled: whether the batch is settled now.
    ///   - notificationSettled: whether the notification is settled by it.
    ///   - pruned: how many devices became invalid.
    ///   - suspected: how many devices became suspect.
    public init(
        wasRepeated: Bool = false,
        batchSettled: Bool = false,
        notificationSettled: Bool = false,
        pruned: Int = 0,
        suspected: Int = 0
    ) {
        self.wasRepeated = wasRepeated
        self.batchSettled = batchSettled
        self.notificationSettled = notificationSettled
        self.pruned = pruned
        self.suspected = suspected
    }
}
