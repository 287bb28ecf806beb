// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// A payload as a type, for `JSONEncoder`: the way in which Swift libraries take them.
struct Payload: Encodable {
    struct APS: Encodable {
        struct Alert: Encodable {
            let title: String
            let body: String
        }

        let alert: Alert
    }

    let aps: APS
    let order: Int

    init(_ notification: Notification) {
        self.aps = APS(alert: APS.Alert(title: notification.title, body: notification.body))
        self.order = notification.order
    }
}
