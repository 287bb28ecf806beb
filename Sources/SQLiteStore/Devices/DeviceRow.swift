// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Foundation
import GRDB
import PushModel
import PushStore

extension Device {
    /// Reads a device from its row and its topics.
    init(row: Row, app: AppID, topics: Set<String>) throws {
        guard
            let installation = InstallationID(rawValue: row["installation"]),
            let token = try? DeviceToken(bytes: row.bytes("token"))
        else { throw StoreError.damaged("device") }
        self.init(
            app: app,
            installation: installation,
            token: token,
            environment: APNsEnvironment(stored: row["environment"]),
            profile: try DeviceProfile(row: row, topics: topics),
            createdAt: row.date("created_at"),
            registeredAt: row.date("registered_at"),
            seenAt: row.date("seen_at"),
            status: DeviceStatus(row: row)
        )
    }
}

extension DeviceProfile {
    fileprivate init(row: Row, topics: Set<String>) throws {
        self.init(
            platform: (row["platform"] as String?).map { DevicePlatform(rawValue: $0) },
            appVersion: row["app_version"],
            locale: row["locale"],
            timeZone: row["time_zone"],
            userID: (row["user_id"] as String?).flatMap { UserID(rawValue: $0) },
            tags: try (row["tags"] as String?).map(Self.tags(stored:)) ?? [:],
            topics: topics
        )
    }

    /// Reads tags as `storedTags` wrote them.
    static func tags(stored text: String) throws -> [String: String] {
        do {
            return try JSONDecoder().decode([String: String].self, from: Data(text.utf8))
        } catch {
            throw StoreError.damaged("tags of a device")
        }
    }

    /// The tags as a JSON object with sorted names, or `nil` when there are none.
    var storedTags: String? {
        get throws {
            guard !self.tags.isEmpty else { return nil }
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
            return String(decoding: try encoder.encode(self.tags), as: UTF8.self)
        }
    }
}

extension DeviceStatus {
    /// Reads the columns `status`, `status_reason` and `status_since`.
    init(row: Row) {
        let reason = RejectionReason(rawValue: row["status_reason"] as String? ?? "")
        let since = row.optionalDate("status_since") ?? Date(millisecondsSince1970: 0)
        switch row["status"] as Int {
        case 0: self = .active
        case 1: self = .suspect(reason: reason, since: since)
        default: self = .invalid(reason: reason, since: since)
        }
    }

    /// What the columns `status`, `status_reason` and `status_since` hold.
    var stored: (number: Int, reason: String?, since: Int64?) {
        switch self {
        case .active: (0, nil, nil)
        case .suspect(let reason, let since): (1, reason.rawValue, since.millisecondsSince1970)
        case .invalid(let reason, let since): (2, reason.rawValue, since.millisecondsSince1970)
        }
    }
}

extension Target {
    /// Reads the columns `environment` and `token`.
    init(row: Row) throws {
        guard let token = try? DeviceToken(bytes: row.bytes("token")) else { throw StoreError.damaged("token") }
        self.init(token: token, environment: APNsEnvironment(stored: row["environment"]))
    }
}
