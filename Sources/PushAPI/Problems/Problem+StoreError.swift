// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import PushStore

extension Problem {
    /// What a store's failure means to the caller.
    ///
    /// The store's own words go to the log, since they may name files of the server; the caller gets the catalogue's.
    init(_ error: StoreError) {
        let code: ProblemCode =
            switch error.code {
            case .unavailable: .storeUnavailable
            case .locked: .storeLocked
            case .readOnly: .storeReadOnly
            case .full: .storeFull
            case .corrupt: .storeCorrupt
            // What the API refers to is looked up first, all but the app, which may be deleted meanwhile.
            case .notFound: .appNotFound
            case .conflict: .conflict
            case .leaseLost, .invalid: .internalError
            }
        self.init(code, code.entry.meaning, cause: error)
    }
}
