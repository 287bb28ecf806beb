// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

package import APNs
package import PushModel

#if canImport(FoundationEssentials)
package import FoundationEssentials
#else
package import Foundation
#endif

extension Event {
    /// Reads the columns of the table `events`.
    package init(stored row: some StoredRow, app: AppID) throws {
        guard let data = try? JSONValue(json: Array(try row.string("data").utf8)) else {
            throw StoreError.damaged("event")
        }
        self.init(
            cursor: EventCursor(sequence: Int64(try row.number("number"))),
            app: app,
            time: try row.date("time"),
            kind: EventKind(rawValue: try row.string("kind")),
            data: data
        )
    }
}

extension EventDraft {
    /// What the column `data` holds.
    ///
    /// - Throws: ``StoreError`` `.invalid`.
    package var storedData: String {
        get throws {
            do {
                return String(decoding: try self.data.json(), as: UTF8.self)
            } catch {
                throw StoreError(
                    code: .invalid,
                    message: "The data of an event cannot be written: \(error.message)",
                    cause: error
                )
            }
        }
    }

    /// What is told of a device that was changed; `nil` for one that is active.
    package init?(_ device: DeviceChange, app: AppID, now: Date) {
        let told: (kind: EventKind, reason: RejectionReason, since: Date)
        switch device.status {
        case .active: return nil
        case .suspect(let reason, let since): told = (.deviceSuspected, reason, since)
        case .invalid(let reason, let since): told = (.deviceInvalidated, reason, since)
        }
        self = .device(
            told.kind,
            device.installation,
            of: app,
            environment: device.environment,
            reason: told.reason,
            since: told.since,
            time: now
        )
    }
}

/// A device whose status was changed by what APNs said.
package struct DeviceChange: Sendable {
    package let installation: InstallationID
    package let environment: APNsEnvironment
    package let status: DeviceStatus

    package init(installation: InstallationID, environment: APNsEnvironment, status: DeviceStatus) {
        self.installation = installation
        self.environment = environment
        self.status = status
    }

    /// Reads the columns `installation`, `environment`, and those of the status.
    package init(stored row: some StoredRow) throws {
        self.init(
            installation: try row.identifier("installation"),
            environment: APNsEnvironment(stored: try row.number("environment")),
            status: try DeviceStatus(stored: row)
        )
    }
}

extension [StoreChange] {
    /// Tells that an app's feed has grown: once in a transaction, and behind what the events tell of.
    package mutating func tellOfEvents(_ app: AppID) {
        let change = StoreChange.eventsAppended(app)
        self.removeAll { $0 == change }
        self.append(change)
    }
}

extension CredentialTrouble {
    /// Reads the columns `reason` and `code` of the table `credential_troubles`.
    package init(stored row: some StoredRow, subject: Subject) throws {
        let cause: Cause =
            if let reason = try row.text("reason") {
                .rejected(RejectionReason(rawValue: reason))
            } else {
                .failed(FailureCode(rawValue: try row.text("code") ?? FailureCode.noCredential.rawValue))
            }
        self.init(subject: subject, cause: cause)
    }

    /// What the columns `reason` and `code` hold.
    package var stored: (reason: String?, code: String?) {
        switch self.cause {
        case .rejected(let reason): (reason.rawValue, nil)
        case .failed(let code): (nil, code.rawValue)
        }
    }
}

/// How the feed is read.
package enum EventFeed {
    /// The most events that are looked through for one answer.
    package static let maximumScan = 10_000

    /// How many events one transaction removes: others wait for it.
    package static let pruningStep = 2000
}
