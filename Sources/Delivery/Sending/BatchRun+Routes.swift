// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Logging
import PushModel

extension BatchRun {
    /// Finds where the targets of each environment go, and says which go nowhere.
    ///
    /// - Throws: `StoreError` when the store cannot be asked.
    func routes() async throws -> BatchRoutes {
        let routes = try await BatchRoutes.find(self.claimed.batch.kind, by: self.context.resolver)
        for failure in routes.legs.compactMap(\.failure) {
            self.log(.error, "Targets fail for want of a credential", failure)
        }
        return routes
    }
}
