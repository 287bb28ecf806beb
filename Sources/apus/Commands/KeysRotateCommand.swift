// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import ArgumentParser
import CommandLineSupport
import Foundation
import PushModel

struct KeysRotateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rotate",
        abstract: "Replace a key by a new one with the same rights; the old key ends after an overlap.",
        discussion: """
            The new key expires when the old one did, unless --days says otherwise. Its secret is shown only once.
            """
    )

    @Argument(help: "ID of the key, as `apus keys list` shows it; not the secret.")
    var key: String

    @Option(help: "How long the old key still works: a number with s, m, h or d. Default: 24h.")
    var overlap = "24h"

    @Option(help: "Days until the new key expires. Default: when the old key does.")
    var days: Int?

    @OptionGroup var place: APIKeyStoreArguments

    func validate() throws {
        try self.days.map(KeyDays.check)
        _ = try self.overlapSeconds
    }

    /// The overlap in seconds, at most 90 days.
    private var overlapSeconds: Int {
        get throws {
            let units: [Character: Int] = ["s": 1, "m": 60, "h": 3600, "d": 24 * 3600]
            guard let unit = self.overlap.last.flatMap({ units[$0] }), let number = Int(self.overlap.dropLast()),
                (0...90 * 24 * 3600 / unit).contains(number)
            else {
                throw ValidationError("--overlap: expected 0s to 90d, such as 30m, 24h or 7d, got '\(self.overlap)'.")
            }
            return number * unit
        }
    }

    func run() async throws {
        let overlap = try self.overlapSeconds
        let expiresAt = self.days.map(KeyDays.end)
        let answer = try await self.place.withRepository {
            try await $0.rotate(self.key, overlapSeconds: overlap, expiresAt: expiresAt)
        }
        if self.place.server.json { return try Console.json(answer) }
        answer.key.printSecrets()
        let end = answer.replaced.expiresAt ?? "never"
        Console.note("Key '\(answer.key.name)' (\(answer.key.id)) replaces \(answer.replaced.id), which ends \(end).")
        if let expiresAt = answer.key.expiresAt {
            Console.note("The new key expires \(expiresAt). Choose another end with --days.")
        }
    }
}

/// The lifetime of a key in days.
enum KeyDays {
    static func check(_ days: Int) throws {
        guard !(1...36_500).contains(days) else { return }
        throw ValidationError("--days: expected a number from 1 to 36500, got \(days).")
    }

    static func end(_ days: Int) -> Date { Date(timeIntervalSinceNow: Double(days) * 86_400) }
}

extension KeyResponse {
    /// Prints the secrets of a new key.
    func printSecrets() {
        Console.out(self.key ?? "")
        if let accessKeyID = self.accessKeyID, let secret = self.secretAccessKey {
            Console.out("AWS_ACCESS_KEY_ID=\(accessKeyID)")
            Console.out("AWS_SECRET_ACCESS_KEY=\(secret)")
        }
    }

    /// The limits beyond the scopes, after these.
    var limits: String {
        var limits: [String] = []
        if self.policy != nil { limits.append("policy") }
        if self.allowedAddresses != nil { limits.append("addresses") }
        return limits.isEmpty ? "" : " (\(limits.joined(separator: ", ")))"
    }

    /// Whether the key is valid, and for how long; names the days that are left when it must be rotated.
    func status(now: Date) -> String {
        if let revokedAt { return "revoked \(revokedAt)" }
        guard let expiresAt else { return "valid" }
        let replaced = self.replacedBy.map { ", replaced by \($0)" } ?? ""
        // A server writes fractions of a second, and a local store none.
        let styles = [true, false].map { Date.ISO8601FormatStyle(includingFractionalSeconds: $0) }
        let end = styles.lazy.compactMap { try? $0.parse(expiresAt) }.first
        let left = end?.timeIntervalSince(now) ?? .infinity
        if left <= 0 { return "expired \(expiresAt)\(replaced)" }
        guard left <= APIKey.expiryWarning else { return "expires \(expiresAt)\(replaced)" }
        // Cannot trap: it is at most 14 days.
        return "expires \(expiresAt), in \(Int((left / 3600).rounded(.down))) hours\(replaced)"
    }
}

extension AuditOrigin {
    /// A change by the user who runs this command, behind `sudo` too.
    static func commandLine() -> AuditOrigin {
        let user = ProcessInfo.processInfo.environment["SUDO_USER"] ?? NSUserName()
        return AuditOrigin(actor: .commandLine(user: String(user.prefix(64))), time: Date())
    }
}
