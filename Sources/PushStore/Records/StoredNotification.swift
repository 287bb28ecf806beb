// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
package import PushModel

extension PushModel.Notification {
    /// Reads the columns of the table `notifications`, and `app_id`.
    package init(stored row: some StoredRow) throws {
        guard let id = APNsID(stored: try row.blob("id")) else { throw StoreError.damaged("notification") }
        self.init(
            id: NotificationID(id),
            app: try row.identifier("app_id"),
            createdAt: try row.date("created_at"),
            targetCount: try row.number("target_count"),
            batchCount: try row.number("batch_count"),
            resendOf: try row.bytes("resend_of").flatMap(APNsID.init(stored:)).map { NotificationID($0) },
            resendThrough: try row.bytes("resend_through").flatMap(APNsID.init(stored:))
        )
    }
}
