// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import ArgumentParser
import CommandLineSupport
import Foundation
import PushModel
import PushStore
import Synchronization

struct StoreCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "store",
        abstract: "Maintain the store.",
        subcommands: [StoreSealCommand.self]
    )
}

struct StoreSealCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "seal",
        abstract: "Seal the device tokens and the contents of pushes in an existing store under the master key.",
        discussion: """
            Stop all servers and workers of the store first, and make a backup: a sealed store cannot be changed back. If \
            it is interrupted, run the command again: it continues. The store is the database that $APUS_STORE_URL or the \
            configuration file names, or that in the data directory.
            """
    )

    @Option(help: "Data directory of the servers.")
    var data: String

    @Option(help: "The servers' configuration file, which may name the store and the key. Default: $APUS_CONFIG.")
    var config: String?

    @Option(help: "File with the master key. Default: $APUS_MASTER_KEY_FILE, or master.key in the data directory.")
    var masterKeyFile: String?

    @Flag(help: "Confirm that no server and no worker of the store is running.")
    var serversStopped = false

    @OptionGroup var output: OutputArguments

    func run() async throws {
        guard self.serversStopped else {
            throw CommandError(
                "servers_running",
                """
                A server that runs meanwhile stores device tokens in plain form, and other servers do not find them.
                  Stop all servers and workers of the store, and confirm it: --servers-stopped
                """
            )
        }
        var flags: [ConfigurationKey: String] = [.data: self.data]
        flags[.masterKeyFile] = self.masterKeyFile
        let environment = ProcessInfo.processInfo.environment
        let sources = try ConfigurationSources(
            flags: flags,
            environment: environment,
            file: self.config ?? environment["APUS_CONFIG"]
        )
        let configuration = try ServerConfiguration(try sources.entries())
        let (url, logger) = (configuration.storeURL, configuration.processLogger())
        guard url != nil || FileManager.default.fileExists(atPath: LocalStore.path(in: self.data)) else {
            throw CommandError(
                "store_missing",
                """
                There is no store in \(self.data). To seal a new store, start the server with sealAtRest = true.
                  Name the data directory of the servers: --data DIR
                  For PostgreSQL, use the servers' setting: APUS_STORE_URL, or --config FILE
                """
            )
        }
        try await ServerStore.open(data: self.data, url: url, logger: logger) { store, _ in
            let key = try await MasterKeyFile.masterKey(configuration, store: store, logger: logger)
            try await self.seal(store, key)
        }
    }

    private func seal(_ store: any PushStore, _ masterKey: MasterKey) async throws {
        let sealed = masterKey.seal(dataKey: DataKey.generate())
        guard let stored = try await store.addDataKey(sealed, ifEmpty: false) else {
            throw CommandError("store_not_sealed", "Another process removed the data key. Run the command again.")
        }
        try DataKeyLoader.use(stored, in: store, masterKey: masterKey)
        var report = SealingReport(tables: [:], formerBytesOverwritten: false)
        for table in SealableTable.allCases {
            let shown = Mutex(0)
            let quiet = self.output.json
            let result = try await store.sealRows(in: table) { progress in
                // A line for each 100,000 rows.
                let isDue = shown.withLock { shown in
                    guard progress.read / 100_000 > shown else { return false }
                    shown = progress.read / 100_000
                    return true
                }
                if isDue, !quiet { Console.note("\(table.rawValue): \(progress.read) rows") }
            }
            report.tables[table.rawValue] = result.sealed
        }
        // The former bytes first: an interruption before the end leaves the store incomplete, and the command runs again.
        report.formerBytesOverwritten = try await store.overwriteFormerBytes()
        try await store.completeSealing()
        if self.output.json { return try Console.json(report) }
        for table in SealableTable.allCases {
            Console.out("Sealed \(report.tables[table.rawValue] ?? 0) rows of \(table.rawValue).")
        }
        guard !report.formerBytesOverwritten else { return }
        Console.out(
            "The former bytes remain in the files of PostgreSQL until: VACUUM FULL. They also remain in its write-ahead "
                + "log and in backups."
        )
    }
}

/// The result of `apus store seal`.
struct SealingReport: Codable {
    /// The number of sealed rows by table.
    var tables: [String: Int]

    /// Whether the files of the database no longer have the plain bytes.
    var formerBytesOverwritten: Bool
}
