// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import PushModel
import PushStore
import Work

extension ChangeHub where Key == NotificationID {
    /// Wakes requests that wait for all outcomes of a notification.
    convenience init(settlementsOf store: any StoreSignals) {
        self.init(store) { if case .notificationSettled(let id) = $0 { id } else { nil } }
    }
}

extension ChangeHub where Key == BatchID {
    /// Wakes streams that wait for outcomes of their batches.
    convenience init(outcomesOf store: any StoreSignals) {
        self.init(store) { if case .batchAdvanced(let id) = $0 { id } else { nil } }
    }
}

extension ChangeHub where Key == AppID {
    /// Wakes readers of the event feed of an app.
    convenience init(eventsOf store: any StoreSignals) {
        self.init(store) { if case .eventsAppended(let app) = $0 { app } else { nil } }
    }
}
