// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import PushModel
import PushStore

extension StoreConformance {
    static let health = [
        Check("a store that takes changes says so, and what it holds stays as it is") { store in
            try await store.checkWritable()
            try await store.addSampleApp()
            for _ in 0..<3 { try await store.checkWritable() }
            let apps = try await store.apps(after: nil, limit: 10).elements.map(\.id)
            try expectEqual(apps, [StoreSamples.app], "the apps")
        }
    ]
}
