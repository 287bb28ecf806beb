// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
public import ArgumentParser
import CommandLineSupport
import Foundation
public import PushModel
import PushStore

struct KeysCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "keys",
        abstract: "Create, list, rotate and revoke the keys of the HTTP API, and rotate the master key.",
        discussion: """
            Create the first key on the machine of the server, directly in its store:
            apus keys create NAME --scope admin --data DIR
            """,
        subcommands: [
            KeysListCommand.self, KeysCreateCommand.self, KeysRotateCommand.self, KeysRevokeCommand.self,
            KeysRotateMasterCommand.self,
        ]
    )
}

struct KeysListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List the keys, without their secrets; with --json one object a line."
    )

    @OptionGroup var place: APIKeyStoreArguments

    func run() async throws {
        let now = Date()
        var table = TextTable(heading: "KEY", "NAME", "SCOPES", "APP", "CREATED", "BY", "LAST USED", "STATUS")
        try await self.place.withRepository { repository in
            try await repository.each { key in
                if self.place.server.json { return try Console.json(key) }
                let scopes = key.scopes.joined(separator: ",") + key.limits
                let lastUse = [key.lastUsedAt, key.lastUsedAddress].compactMap(\.self).joined(separator: " ")
                table.add(
                    key.id,
                    key.name,
                    scopes,
                    key.app ?? "all",
                    key.createdAt,
                    key.createdBy ?? "cli",
                    lastUse.isEmpty ? "-" : lastUse,
                    key.status(now: now)
                )
            }
        }
        if !self.place.server.json { table.lines.forEach(Console.out) }
    }
}

struct KeysCreateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "create",
        abstract: "Create a key. Its secret is shown only once."
    )

    @Argument(help: "Name of the key.")
    var name: String

    @Option(
        help: "Required. Scope: send, campaigns, activities, devices, read, client or admin (all). Repeatable."
    )
    var scope: [Scope] = []

    @Option(help: "Only app that the key is valid for. Default: all apps.")
    var app: String?

    @Option(
        help: "File with a policy of AWS IAM that limits the key: Effect, Action and Resource, without conditions."
    )
    var policy: String?

    @Option(
        help: "Address or range, such as 192.0.2.0/24, from which the key is valid. Repeatable. Default: all addresses."
    )
    var allowAddress: [AddressRange] = []

    @Option(help: "Days until the key expires. Default: never.")
    var days: Int?

    @Flag(help: "Also create an access key ID and a secret, which sign requests to the SNS endpoint.")
    var accessKey = false

    @OptionGroup var place: APIKeyStoreArguments

    func validate() throws {
        guard !self.scope.isEmpty else {
            let names = Scope.allCases.sorted().map(\.rawValue).joined(separator: ", ")
            throw ValidationError("--scope is missing. Expected one or more of \(names); admin includes all of them.")
        }
        try self.days.map(KeyDays.check)
        guard self.allowAddress.count <= AddressRange.maximumPerKey else {
            throw ValidationError("--allow-address: expected at most \(AddressRange.maximumPerKey) values.")
        }
    }

    func run() async throws {
        let draft = NewAPIKey(
            name: self.name,
            scopes: self.scope,
            app: self.app,
            policy: try self.policy.map(Self.policy),
            allowedAddresses: self.allowAddress,
            expiresAt: self.days.map(KeyDays.end),
            isAccessKey: self.accessKey
        )
        let key = try await self.place.withRepository { try await $0.create(draft) }
        if self.place.server.json { return try Console.json(key) }
        key.printSecrets()
        let scopes = key.scopes.joined(separator: ", ")
        Console.note("Key '\(key.name)' for \(key.app ?? "all apps"): \(scopes). Store it; it is not shown again.")
        Console.note("Use it with: export APUS_API_KEY=...")
    }
}

extension KeysCreateCommand {
    private static func policy(in path: String) throws -> KeyPolicy {
        let bytes: [UInt8]
        do {
            bytes = Array(try Data(contentsOf: URL(fileURLWithPath: path)))
        } catch {
            throw CommandError("file_unreadable", "Cannot read the policy '\(path)': \(error.localizedDescription)")
        }
        do {
            return try KeyPolicy(json: JSONValue(json: bytes))
        } catch let error as InvalidValueError {
            throw CommandError("invalid_policy", "'\(path)': \(error.message).")
        } catch {
            throw CommandError("invalid_policy", "'\(path)' is not JSON: \(error)")
        }
    }
}

struct KeysRevokeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "revoke",
        abstract: "Revoke a key permanently. Takes effect within one second."
    )

    @Argument(help: "ID of the key, as `apus keys list` shows it; not the secret.")
    var key: String

    @OptionGroup var place: APIKeyStoreArguments

    func run() async throws {
        try await self.place.withRepository { try await $0.revoke(self.key) }
        if self.place.server.json { return try Console.json(["revoked": self.key]) }
        Console.out("Revoked \(self.key).")
    }
}

/// The location of the keys: a server, or a store of this machine.
struct APIKeyStoreArguments: ParsableArguments {
    @Option(
        help: """
            Data directory: use its store, or the database that $APUS_STORE_URL names, without a server and without a \
            key.
            """
    )
    var data: String?

    @OptionGroup var server: ServerArguments

    /// Opens the server or the store, runs `body`, and closes it.
    func withRepository<Value: Sendable>(_ body: (any APIKeyRepository) async throws -> Value) async throws -> Value {
        guard let data else { return try await body(RemoteAPIKeyRepository(client: try self.server.client())) }
        let url = ProcessInfo.processInfo.environment[ConfigurationKey.storeURL.variable]
        let isNew = (url ?? "").isEmpty && !FileManager.default.fileExists(atPath: LocalStore.path(in: data))
        let value = try await ServerStore.open(data: data, url: url) { store, _ in
            let keys = LocalAPIKeyRepository(store: store, codes: Self.codes(data: data)) {
                try await Self.masterKey(of: store, data: data)
            }
            return try await AuditOrigin.binding(.commandLine()) { try await body(keys) }
        }
        if isNew { Console.note("Created a new store in \(data). Servers with another --data do not know its keys.") }
        return value
    }

    /// The master key of a server with the same store and environment.
    private static func masterKey(of store: any PushStore, data: String) async throws -> MasterKey {
        let configuration = try self.configuration(data: data)
        let logger = configuration.processLogger()
        return try await MasterKeyFile.masterKey(configuration, store: store, logger: logger)
    }

    /// The codes of the IDs of new keys; `nil` if there is no master key yet, or it cannot be read.
    ///
    /// Servers read the IDs of keys without a code when they start.
    private static func codes(data: String) -> APIKeyIDCodes? {
        guard let configuration = try? self.configuration(data: data),
            let key = try? MasterKeyFile.existingKey(configuration, logger: configuration.processLogger())
        else { return nil }
        return APIKeyIDCodes(key)
    }

    private static func configuration(data: String) throws -> ServerConfiguration {
        let environment = ProcessInfo.processInfo.environment
        let sources = try ConfigurationSources(flags: [.data: data], environment: environment, file: nil)
        return try ServerConfiguration(try sources.entries())
    }
}

extension Scope: ExpressibleByArgument {}

extension AddressRange: ExpressibleByArgument {
    public init?(argument: String) {
        self.init(argument)
    }
}
