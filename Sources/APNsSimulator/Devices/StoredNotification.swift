// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// A notification in APNs's store, with the token that it was sent to.
struct StoredNotification: Codable, Sendable, Hashable {
    var record: NotificationRecord
    var registration: RegistrationIndex
}

extension DeviceState {
    /// Keeps a notification in the slot of its app.
    ///
    /// - Returns: the one that had to go.
    mutating func store(_ notification: StoredNotification, bundleID: String) -> StoredNotification? {
        guard let place = self.slot(of: notification.registration, bundleID) else { return nil }
        defer { self.apps[place].waiting = notification }
        return self.apps[place].waiting
    }

    /// Empties the slot of an app.
    ///
    /// - Returns: what was there.
    mutating func takeStored(of registration: RegistrationIndex, _ bundleID: String) -> StoredNotification? {
        guard let place = self.slot(of: registration, bundleID) else { return nil }
        defer { self.apps[place].waiting = nil }
        return self.apps[place].waiting
    }

    /// The place of the app whose slot it is; one that is removed without APNs's knowledge has its own.
    private func slot(of registration: RegistrationIndex, _ bundleID: String) -> Int? {
        self.appIndex(registration) ?? self.appIndex(bundleID) ?? self.apps.firstIndex { $0.bundleID == bundleID }
    }

    /// Takes the oldest notification out of the slots that is fit.
    mutating func takeStored(where isFit: (NotificationRecord) -> Bool) -> StoredNotification? {
        var oldest: (place: Int, acceptedAt: Double)?
        for (place, app) in self.apps.enumerated() {
            guard let record = app.waiting?.record, isFit(record) else { continue }
            if let found = oldest, found.acceptedAt <= record.acceptedAt { continue }
            oldest = (place, record.acceptedAt)
        }
        guard let place = oldest?.place else { return nil }
        defer { self.apps[place].waiting = nil }
        return self.apps[place].waiting
    }
}
