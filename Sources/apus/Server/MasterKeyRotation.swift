// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import PushModel
import PushStore

/// Seals everything in a store under the first key of its master key.
struct MasterKeyRotation: Sendable {
    /// The values that were sealed again, and those that could not be.
    struct Outcome: Hashable, Sendable {
        var credentials = 0
        var webhooks = 0
        var accessKeys = 0
        var subscribedURLs = 0
        var deliveryKeys = 0
        var dataKeys = 0

        /// The items that no key opens, each with its owner.
        var unopened: [String] = []

        fileprivate mutating func count(_ item: SealedItem) {
            switch item {
            case .credential: self.credentials += 1
            case .webhook: self.webhooks += 1
            case .signingSecret: self.accessKeys += 1
            case .subscriptionUser: self.subscribedURLs += 1
            case .deliveryIdentity: self.deliveryKeys += 1
            case .dataKey: self.dataKeys += 1
            }
        }
    }

    let store: any PushStore
    let key: MasterKey

    /// Seals all values again that another key than the first one sealed, until a complete pass finds none.
    ///
    /// Other processes may add and remove values meanwhile. Secrets of revoked access keys stay unchanged, because
    /// nothing opens them.
    /// - Throws: `StoreError`; values that were sealed again stay so.
    func run(_ outcome: inout Outcome) async throws {
        var isDone = false
        while !isDone {
            isDone = true
            var unopened: [String] = []
            for table in SealedTable.allCases {
                try await self.store.forEachSealed(in: table) { value in
                    do {
                        guard let sealed = try self.key.reseal(value.bytes, of: value.item) else { return }
                        isDone = false
                        let isReplaced = try await self.store.replaceSealed(value.item, old: value.bytes, new: sealed)
                        if isReplaced { outcome.count(value.item) }
                    } catch is MasterKeyError {
                        unopened.append("\(value.item) (\(value.ownerName))")
                    }
                }
            }
            outcome.unopened = unopened
        }
    }
}
