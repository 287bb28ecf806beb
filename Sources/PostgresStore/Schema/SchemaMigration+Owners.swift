// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

extension SchemaMigration {
    /// An app's notifications that are settled are found by it.
    static let owners = """
        CREATE INDEX settled_notifications_by_app ON settled_notifications (app, notification)
        """
}
