// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import CommandLineSupport
import Foundation
import PushModel

extension Doctor {
    private var place: String {
        ServerStore.place(data: self.configuration.data, url: self.configuration.storeURL)
    }

    /// Opens the database, and compares its schema with that of this executable.
    func checkDatabase() async -> [DoctorFinding] {
        switch await self.store.value {
        case .absent: return [.ok("there is none in \(self.place) yet; the first start creates it")]
        case .contents: return [.ok("\(self.place) has the schema of this version (\(apusVersion))")]
        case .failed(let failure): return [self.finding(failure)]
        }
    }

    private func finding(_ failure: CommandError) -> DoctorFinding {
        let isShared = self.configuration.storeURL != nil
        let noStart = "No process that uses the database starts."
        switch failure.code {
        case "store_readOnly":
            return .warning(
                failure.message,
                effect: "apus doctor cannot check the credentials. The next start of a server changes the tables.",
                fix: "Make a backup, stop all processes of the former version, and start this one."
            )
        case "store_corrupt":
            return .error(failure, effect: noStart, fix: "Do what the message says. Make a copy of the database first.")
        case "store_locked":
            return .error(
                failure,
                effect: "Requests fail while it is locked.",
                fix: "End the process that has the lock."
            )
        case "store_invalid": return .error(failure, effect: noStart, fix: "Correct store.url (APUS_STORE_URL).")
        default:
            let shared = "Start the database server, correct store.url (APUS_STORE_URL), or open the way to its port."
            let fix = isShared ? shared : "Give the user of the server read and write access to the file."
            return .error(failure, effect: noStart, fix: fix)
        }
    }

    /// Compares the master key with the sealed records of the database.
    func checkMasterKey() async -> [DoctorFinding] {
        let sealing = "Sealed credentials, webhook secrets and access keys cannot be opened."
        let reading = await self.store.value
        let sealed = reading.contents?.sealed
        let key: MasterKey
        do {
            guard let found = try await self.masterKey.value.get() else {
                if let failure = MasterKeyFile.refusal(self.configuration, sealed: sealed) {
                    return [.error(failure, effect: "The server does not start. \(sealing)", fix: "Restore it.")]
                }
                guard case .failed = reading else { return [.ok("there is none yet; the first start creates it")] }
                return [.skipped("there is none; whether the database needs one is unknown, because it cannot be read")]
            }
            key = found
        } catch {
            let fix = "Restore the key, or create another one for an empty database: openssl rand -base64 32"
            return [.error(error, effect: "The server does not start. \(sealing)", fix: fix)]
        }
        guard let sealed else {
            guard case .failed = reading else { return [.ok("key \(key.id); the database has no sealed records yet")] }
            return [.skipped("key \(key.id); not compared with the database, which cannot be read")]
        }
        guard let owners = sealed.apps(closedTo: key) else {
            return [.ok("key \(key.id) opens all \(sealed.count) sealed records")]
        }
        return [
            .error(
                "The master key \(key.id) does not open sealed records of \(owners): another key sealed them.",
                effect: "Pushes with these credentials fail, and these webhooks and access keys do not work.",
                fix: "Restore the key of this database from its backup, or add the credentials again."
            )
        ]
    }

    /// The time that APNs tolerates between its clock and that of a provider token.
    private static let toleranceSeconds = 3600.0

    /// Compares the clock with the latest time that something on this machine proves to have passed.
    func checkClock() async -> [DoctorFinding] {
        if self.configuration.clockSimulator != nil {
            return [
                .warning(
                    "clock.simulator is set: processes use the time of a simulator.",
                    effect: "Apple's APNs rejects provider tokens of another time, and schedules follow that clock.",
                    fix: "Remove clock.simulator (APUS_CLOCK_SIMULATOR) outside of tests."
                )
            ]
        }
        let contents = await self.store.value.contents
        let dates = (contents?.apps.map(\.createdAt) ?? []) + (contents?.credentials.map(\.createdAt) ?? [])
        guard let latest = dates.max() else { return [.ok("\(self.now.ISO8601Format())")] }
        let seconds = latest.timeIntervalSince(self.now)
        guard seconds > 60 else { return [.ok("\(self.now.ISO8601Format()), after the latest record of the database")] }
        let problem =
            "The clock shows \(self.now.ISO8601Format()), but the database has a record of "
            + "\(latest.ISO8601Format()). The clock is slow now, or was fast then."
        let fix = "Synchronize the clock with NTP, for example: timedatectl set-ntp true"
        guard seconds > Self.toleranceSeconds else {
            return [.warning(problem, effect: "Leases and schedules of this process run late.", fix: fix)]
        }
        let effect = "APNs rejects provider tokens that are more than one hour off: no push with a key is delivered."
        return [.error(problem, effect: effect, fix: fix)]
    }
}
