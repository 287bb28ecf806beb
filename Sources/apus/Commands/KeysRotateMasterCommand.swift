// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import ArgumentParser
import CommandLineSupport
import Foundation
import PushModel
import PushStore

struct KeysRotateMasterCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rotate-master",
        abstract: "Create a new master key, and seal everything in the store with it.",
        discussion: """
            Servers can run meanwhile, because they read the changed file. If it is interrupted, run the command \
            again: it continues. The store is the database that $APUS_STORE_URL or the configuration file names, or \
            that in the data directory. The former key stays in a file in the same directory, for older backups of the \
            store.

            A key in $APUS_MASTER_KEY or from $APUS_MASTER_KEY_COMMAND: (1) give every process both keys, the old one first; (2) then both, the new one \
            first; (3) run this command with the same variable or command; (4) give every process the new key alone. If all \
            processes stop in between, skip step 1.
            """
    )

    @Option(help: "Data directory of the servers.")
    var data: String

    @Option(
        help: "The servers' configuration file, which may name the store and the key. Default: $APUS_CONFIG."
    )
    var config: String?

    @Option(help: "File with the master key. Default: $APUS_MASTER_KEY_FILE, or master.key in the data directory.")
    var masterKeyFile: String?

    @Flag(help: "Confirm that every process on the PostgreSQL database reads this same file.")
    var singleMachine = false

    @Option(
        help: """
            Seconds to wait until requests have stored values sealed with the old key. Default: the maximum duration \
            of a change to the store, 10 with SQLite and 36 with PostgreSQL.
            """
    )
    var waitSeconds: Int?

    @OptionGroup var output: OutputArguments

    func validate() throws {
        if let waitSeconds, !(0...3600).contains(waitSeconds) {
            throw ValidationError("--wait-seconds takes 0 to 3600.")
        }
    }

    func run() async throws {
        var flags: [ConfigurationKey: String] = [.data: self.data]
        flags[.masterKeyFile] = self.masterKeyFile
        let environment = ProcessInfo.processInfo.environment
        let sources = try ConfigurationSources(
            flags: flags,
            environment: environment,
            file: self.config ?? environment["APUS_CONFIG"]
        )
        let configuration = try ServerConfiguration(try sources.entries())
        let place = try Self.place(of: configuration)
        let logger = configuration.processLogger()
        let url = configuration.storeURL
        guard url != nil || FileManager.default.fileExists(atPath: LocalStore.path(in: self.data)) else {
            throw CommandError(
                "store_missing",
                """
                There is no store in \(self.data), so there is nothing to seal with a new key.
                  Name the data directory of the servers: --data DIR
                  For PostgreSQL, use the servers' setting: APUS_STORE_URL, or --config FILE
                """
            )
        }
        let answer: RotationAnswer = try await ServerStore.open(data: self.data, url: url, logger: logger) { store, _ in
            let answer: RotationAnswer
            switch place {
            case .fixed(let key, let source): answer = try await self.rotate(key, from: source, in: store)
            case .file(let path, let source):
                answer = try await MasterKeyFile.withLock(on: path) {
                    try await self.rotate(path, from: source, in: store, url: url)
                }
            }
            try await store.recordAudit(
                AuditAction(.masterKey, .rotated),
                of: answer.masterKey,
                after: JSONValue(encoding: answer),
                origin: .commandLine()
            )
            return answer
        }
        try self.show(answer)
        if !answer.unopened.isEmpty { throw ExitCode.failure }
    }

    /// The location of the master key, and its name in messages.
    private enum Place {
        /// A variable or a command, which this command cannot change.
        case fixed(MasterKey, source: String)
        case file(String, source: String)
    }

    private static func place(of configuration: ServerConfiguration) throws -> Place {
        if let text = configuration.masterKey {
            let source = configuration.name(of: .masterKey)
            return .fixed(try MasterKeyFile.parse(text, from: source), source: source)
        }
        if let command = configuration.masterKeyCommand {
            let source = configuration.name(of: .masterKeyCommand)
            return .fixed(try MasterKeyCommand.run(command, from: source), source: source)
        }
        let file = configuration.masterKeyFile ?? MasterKeyFile.path(in: configuration.data)
        let source = configuration.masterKeyFile == nil ? "The master key" : configuration.name(of: .masterKeyFile)
        // The file is replaced, so resolve a link to it first.
        let path = URL(fileURLWithPath: file).resolvingSymlinksInPath().path
        guard FileManager.default.fileExists(atPath: path) else {
            let message = "\(source): there is no file \(path). Name another: --master-key-file FILE"
            throw CommandError("master_key_missing", message)
        }
        return .file(path, source: source)
    }

    /// Seals everything with the first key of a variable or a command.
    private func rotate(_ key: MasterKey, from source: String, in store: any PushStore) async throws -> RotationAnswer {
        guard key.ids.count > 1 else {
            throw Self.byHand("\(source) has one key, \(key.id), and this command cannot change it.")
        }
        var outcome = MasterKeyRotation.Outcome()
        try await MasterKeyRotation(store: store, key: key).run(&outcome)
        return RotationAnswer(key, outcome, formerKeysRemoved: false)
    }

    /// Adds a new key to a file, unless it has two already, seals everything with it, and removes the other keys.
    private func rotate(
        _ path: String,
        from source: String,
        in store: any PushStore,
        url: String?
    ) async throws -> RotationAnswer {
        var key = try MasterKeyFile.read(path, from: source)
        if key.ids.count == 1 {
            guard url == nil || self.singleMachine else {
                throw Self.byHand(
                    "Processes on other machines may have copies of \(path), and could not open values sealed with a "
                        + "new key. If all processes on the database read this same file, add --single-machine."
                )
            }
            key = key.succeeded(by: .generate())
            do {
                try MasterKeyFile.replace(path, with: key)
            } catch let failure as CommandError {
                throw Self.byHand(failure.message)
            }
            self.tell("New master key \(key.id) in \(path); \(key.former) still opens values sealed with it.")
        }
        try await self.waitForRequests(path, url: url)
        let rotation = MasterKeyRotation(store: store, key: key)
        var outcome = MasterKeyRotation.Outcome()
        try await rotation.run(&outcome)
        guard outcome.unopened.isEmpty else { return RotationAnswer(key, outcome, formerKeysRemoved: false) }
        do {
            for former in try MasterKeyFile.keepFormer(of: key, beside: path) {
                self.tell("Kept the former key in \(former). Remove it together with the older backups.")
            }
            try MasterKeyFile.replace(path, with: key.alone)
        } catch let failure as CommandError {
            Console.note("apus: \(failure.message)")
            return RotationAnswer(key, outcome, formerKeysRemoved: false)
        }
        // Once more, for values that were sealed between the last pass and the write: later, no process has the old
        // key.
        try await rotation.run(&outcome)
        return RotationAnswer(key, outcome, formerKeysRemoved: true)
    }

    /// Waits until every request has stored the values that it sealed before the file had the new key.
    ///
    /// A process checks the file whenever it seals something, and stores that with one change. So a value that was
    /// sealed with the old key is stored within the time of the longest change after the file was written.
    private func waitForRequests(_ path: String, url: String?) async throws {
        let time = self.waitSeconds.map { Duration.seconds($0) } ?? ServerStore.longestChange(url: url)
        let attributes = try? FileManager.default.attributesOfItem(atPath: path)
        let age = (attributes?[.modificationDate] as? Date).map { -$0.timeIntervalSinceNow } ?? 0
        let left = time - .seconds(min(max(0, age), 3600))
        guard left > .zero else { return }
        self.tell("Waiting up to \(time.components.seconds) s for requests that started before.")
        try await Task.sleep(for: left)
    }

    private func tell(_ text: String) {
        if !self.output.json { Console.out(text) }
    }

    private func show(_ answer: RotationAnswer) throws {
        if self.output.json { return try Console.json(answer) }
        Console.out(
            "Sealed again with \(answer.masterKey): credentials \(answer.credentials), webhooks \(answer.webhooks), "
                + "access keys \(answer.accessKeys), users of URLs \(answer.subscribedURLs), delivery keys "
                + "\(answer.deliveryKeys), data keys \(answer.dataKeys)."
        )
        for item in answer.unopened { Console.note("apus: No master key opens \(item).") }
        let former = answer.formerKeys.joined(separator: ", ")
        if answer.formerKeysRemoved {
            Console.out("Removed the master key \(former) from the file.")
        } else if answer.unopened.isEmpty {
            Console.out("The master key \(former) is no longer needed. Give every process the new key alone.")
        } else {
            Console.note("apus: The master key \(former) is kept. Remove these items, and run the command again.")
        }
    }

    /// The steps to rotate a key that this command cannot write.
    private static func byHand(_ reason: String) -> CommandError {
        CommandError(
            "one_master_key",
            """
            \(reason)
              To rotate it manually:
                1. Create a new key: openssl rand -base64 32
                2. Give every process both keys, the new one first, with white space between. While there are \
                processes with the old key alone, put the old one first; change the order once all have both.
                3. Run this command with both keys, the new one first.
                4. Give every process the new key alone.
              Processes read a changed file immediately, and a changed variable after a restart.
            """
        )
    }
}

/// The result of a rotation of the master key.
struct RotationAnswer: Codable {
    /// The ID of the new key.
    let masterKey: String

    /// The IDs of the former keys.
    let formerKeys: [String]

    let credentials: Int
    let webhooks: Int
    let accessKeys: Int
    let subscribedURLs: Int
    let deliveryKeys: Int
    let dataKeys: Int

    /// The items that no key opens.
    let unopened: [String]

    /// Whether the file has none of the former keys.
    let formerKeysRemoved: Bool

    init(_ key: MasterKey, _ outcome: MasterKeyRotation.Outcome, formerKeysRemoved: Bool) {
        self.masterKey = key.id
        self.formerKeys = Array(key.ids.dropFirst())
        self.credentials = outcome.credentials
        self.webhooks = outcome.webhooks
        self.accessKeys = outcome.accessKeys
        self.subscribedURLs = outcome.subscribedURLs
        self.deliveryKeys = outcome.deliveryKeys
        self.dataKeys = outcome.dataKeys
        self.unopened = outcome.unopened
        self.formerKeysRemoved = formerKeysRemoved
    }
}

extension MasterKey {
    /// The IDs of the former keys, for messages.
    fileprivate var former: String { self.ids.dropFirst().joined(separator: ", ") }
}
