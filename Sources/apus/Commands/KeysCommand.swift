// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import ArgumentParser
import CommandLineSupport
import Foundation
public import PushModel
import PushStore

struct KeysCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "keys",
        abstract: "Make, list and revoke the keys of the HTTP API, and rotate the master key.",
        discussion: """
            The first key is made on the server's machine, directly in its store:
            apus keys create NAME --scope admin --data DIR
            """,
        subcommands: [
            KeysListCommand.self, KeysCreateCommand.self, KeysRevokeCommand.self, KeysRotateMasterCommand.self,
        ]
    )
}

struct KeysListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List the keys, without their secrets; with --json one object a line."
    )

    @OptionGroup var place: KeyPlaceArguments

    func run() async throws {
        var table = TextTable(heading: "KEY", "NAME", "SCOPES", "APP", "CREATED", "LAST USED", "STATUS")
        try await self.place.withKeyBook { book in
            try await book.each { key in
                if self.place.server.json { return try Console.json(key) }
                let status = key.revokedAt.map { "revoked \($0)" } ?? key.expiresAt.map { "expires \($0)" } ?? "good"
                let scopes = key.scopes.joined(separator: ",")
                table.add(key.id, key.name, scopes, key.app ?? "all", key.createdAt, key.lastUsedAt ?? "-", status)
            }
        }
        if !self.place.server.json { table.lines.forEach(Console.out) }
    }
}

struct KeysCreateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "create",
        abstract: "Make a key. Its secret is shown this once."
    )

    @Argument(help: "What people call the key.")
    var name: String

    @Option(help: "What it may do, which has to be said; may be given several times. admin may do everything.")
    var scope: [Scope] = []

    @Option(help: "The only app that it may be used for. Default: every app.")
    var app: String?

    @Option(help: "After how many days it is refused. Default: never.")
    var days: Int?

    @Flag(help: "Let it sign requests to the SNS endpoint as well: an access key id and a secret are shown with it.")
    var accessKey = false

    @OptionGroup var place: KeyPlaceArguments

    func validate() throws {
        guard !self.scope.isEmpty else {
            let names = Scope.allCases.sorted().map(\.rawValue).joined(separator: ", ")
            throw ValidationError("--scope is missing: what the key may do, of \(names). admin may do everything.")
        }
        if let days, !(1...36_500).contains(days) { throw ValidationError("--days takes 1 to 36500.") }
    }

    func run() async throws {
        let draft = KeyDraft(
            name: self.name,
            scopes: self.scope,
            app: self.app,
            expiresAt: self.days.map { Date(timeIntervalSinceNow: Double($0) * 86_400) },
            isAccessKey: self.accessKey
        )
        let key = try await self.place.withKeyBook { try await $0.create(draft) }
        if self.place.server.json { return try Console.json(key) }
        Console.out(key.key ?? "")
        if let accessKeyID = key.accessKeyID, let secret = key.secretAccessKey {
            Console.out("AWS_ACCESS_KEY_ID=\(accessKeyID)")
            Console.out("AWS_SECRET_ACCESS_KEY=\(secret)")
        }
        let scopes = key.scopes.joined(separator: ", ")
        Console.note("Key '\(key.name)' for \(key.app ?? "all apps"): \(scopes). Keep it; it is not shown again.")
        Console.note("Use it as: export APUS_API_KEY=...")
    }
}

struct KeysRevokeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "revoke",
        abstract: "Revoke a key for good; servers refuse it within a second."
    )

    @Argument(help: "The key's id, as `apus keys list` shows it: not the secret.")
    var key: String

    @OptionGroup var place: KeyPlaceArguments

    func run() async throws {
        try await self.place.withKeyBook { try await $0.revoke(self.key) }
        if self.place.server.json { return try Console.json(["revoked": self.key]) }
        Console.out("Revoked \(self.key).")
    }
}

/// Where keys are: behind a server, or in a store of this machine.
struct KeyPlaceArguments: ParsableArguments {
    @Option(
        help: """
            Work on the store in this directory, or in the database that $APUS_STORE_URL names, without a server and \
            without a key.
            """
    )
    var data: String?

    @OptionGroup var server: ServerArguments

    /// Opens the place, runs `body` and closes it.
    func withKeyBook<Value: Sendable>(_ body: (any KeyBook) async throws -> Value) async throws -> Value {
        guard let data else { return try await body(RemoteKeyBook(client: try self.server.client())) }
        let url = ProcessInfo.processInfo.environment[ConfigurationKey.storeURL.variable]
        let isNew = url == nil && !FileManager.default.fileExists(atPath: data)
        let value = try await ServerStore.open(data: data, url: url) { store, _ in
            try await body(LocalKeyBook(store: store) { try await Self.masterKey(of: store, data: data) })
        }
        if isNew { Console.note("Created a new store in \(data). Servers with another --data do not know its keys.") }
        return value
    }

    /// The key that a server on the same store and with the same environment has.
    private static func masterKey(of store: any PushStore, data: String) async throws -> MasterKey {
        let environment = ProcessInfo.processInfo.environment
        let sources = try ConfigurationSources(flags: [.data: data], environment: environment, file: nil)
        let configuration = try ServerConfiguration(try sources.entries())
        let logger = configuration.processLogger()
        return try await MasterKeyFile.masterKey(configuration, store: store, logger: logger)
    }
}

extension Scope: ExpressibleByArgument {}
