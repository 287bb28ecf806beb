// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Logging
package import PushStore

extension SQLDatabase {
    /// The log of the store.
    var logger: Logger { self.driver.logger }

    /// The workers of this process that take batches as they are accepted; `nil` on PostgreSQL.
    package var handOvers: BatchHandOvers? { self.driver.batchHandOvers }
}

extension SQLDriver {
    package var batchHandOvers: BatchHandOvers? { nil }

    package var writersAtOnce: Int { 1 }
}
