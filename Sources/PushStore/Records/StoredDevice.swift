// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
package import Foundation
package import PushModel

extension Device {
    /// Reads the columns of the table `devices`; topics are stored differently by each store.
    package init(stored row: some StoredRow, app: AppID, topics: Set<String>) throws {
        let target = try Target(stored: row)
        self.init(
            app: app,
            installation: try row.identifier("installation"),
            token: target.token,
            environment: target.environment,
            profile: try DeviceProfile(stored: row, topics: topics),
            createdAt: try row.date("created_at"),
            registeredAt: try row.date("registered_at"),
            seenAt: try row.date("seen_at"),
            status: try DeviceStatus(stored: row),
            userData: try row.text("user_data")
        )
    }

    /// The device that a registration makes.
    package init(_ registration: DeviceRegistration, createdAt: Date, now: Date) {
        self.init(
            app: registration.app,
            installation: registration.installation,
            token: registration.token,
            environment: registration.environment,
            profile: registration.profile,
            createdAt: createdAt,
            registeredAt: now,
            seenAt: now
        )
    }
}

extension DeviceProfile {
    fileprivate init(stored row: some StoredRow, topics: Set<String>) throws {
        self.init(
            platform: try row.text("platform").map { DevicePlatform(rawValue: $0) },
            appVersion: try row.text("app_version"),
            locale: try row.text("locale"),
            timeZone: try row.text("time_zone"),
            userID: try row.text("user_id").flatMap { UserID(rawValue: $0) },
            tags: try row.text("tags").map(Self.tags(stored:)) ?? [:],
            topics: topics
        )
    }

    /// Reads what ``storedTags`` wrote.
    package static func tags(stored text: String) throws -> [String: String] {
        do {
            return try JSONDecoder().decode([String: String].self, from: Data(text.utf8))
        } catch {
            throw StoreError.damaged("tags of a device")
        }
    }

    /// The tags as a JSON object with sorted names, or `nil` when there are none.
    package var storedTags: String? {
        get throws {
            guard !self.tags.isEmpty else { return nil }
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
            return String(decoding: try encoder.encode(self.tags), as: UTF8.self)
        }
    }
}

extension DeviceProfile {
    /// What the column `app_version_key` holds; see ``AppVersion/storedKey(of:)``.
    package var storedAppVersionKey: String? { AppVersion.storedKey(of: self.appVersion) }
}

extension AppVersion {
    /// The text by which versions are compared, as the app told them; `nil` for one that cannot be compared.
    package static func storedKey(of version: String?) -> String? {
        version.flatMap { AppVersion($0) }?.sortKey
    }
}

extension DeviceStatus {
    /// Reads the columns `status`, `status_reason` and `status_since`.
    package init(stored row: some StoredRow) throws {
        let reason = RejectionReason(rawValue: try row.text("status_reason") ?? "")
        let since = try row.optionalDate("status_since") ?? Date(millisecondsSince1970: 0)
        switch try row.number("status") {
        case 0: self = .active
        case 1: self = .suspect(reason: reason, since: since)
        default: self = .invalid(reason: reason, since: since)
        }
    }

    /// What the columns `status`, `status_reason` and `status_since` hold.
    package var stored: (number: Int, reason: String?, since: Int64?) {
        switch self {
        case .active: (0, nil, nil)
        case .suspect(let reason, let since): (1, reason.rawValue, since.millisecondsSince1970)
        case .invalid(let reason, let since): (2, reason.rawValue, since.millisecondsSince1970)
        }
    }
}

extension Target {
    /// Reads the columns `environment` and `token`.
    package init(stored row: some StoredRow) throws {
        guard let token = try? DeviceToken(bytes: row.blob("token")) else { throw StoreError.damaged("token") }
        self.init(token: token, environment: APNsEnvironment(stored: try row.number("environment")))
    }
}
