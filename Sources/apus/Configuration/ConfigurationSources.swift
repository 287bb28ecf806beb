// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Configuration
import Foundation

/// Where values come from, the strongest source first: flags, environment, file, defaults.
struct ConfigurationSources: Sendable {
    /// A value and who said it.
    struct Entry: Sendable {
        let key: ConfigurationKey

        /// The value as text; `nil` for an optional key that nobody set.
        let value: String?

        /// `flag --port`, `environment APUS_PORT`, `file apus.json` or `default`.
        let source: String

        /// The value for people: secrets are masked.
        var shown: String {
            guard let value else { return "-" }
            return self.key.isSecret ? "********" : value
        }
    }

    private let flags: [ConfigurationKey: String]
    private let environment: any ConfigSnapshot
    private let file: (path: String, values: any ConfigSnapshot)?

    /// Opens the sources.
    ///
    /// - Parameters:
    ///   - flags: what stood on the command line.
    ///   - environment: the environment variables; those that begin with `APUS_` count.
    ///   - file: a JSON file, or `nil`.
    /// - Throws: ``CommandFailure`` `.unreadable_file` or `.bad_configuration`, also for a member of the file that is
    ///   no key: a misspelt key must not pass for a default.
    init(flags: [ConfigurationKey: String], environment: [String: String], file: String?) throws {
        self.flags = flags
        let provider = EnvironmentVariablesProvider(environmentVariables: environment).prefixKeys(with: "apus")
        self.environment = provider.snapshot()
        self.file = try file.map { ($0, try Self.snapshot(of: $0)) }
    }

    /// The value of every key.
    ///
    /// - Throws: ``CommandFailure`` `.bad_configuration` that names the key, the source and the rule.
    func entries() throws -> [Entry] {
        try ConfigurationKey.all.map(self.entry)
    }

    private func entry(_ key: ConfigurationKey) throws -> Entry {
        if let value = self.flags[key] {
            return try self.checked(Entry(key: key, value: value, source: "flag --\(key.flag)"))
        }
        if let value = try self.value(of: key, in: self.environment) {
            return try self.checked(Entry(key: key, value: value, source: "environment \(key.variable)"))
        }
        if let file, let value = try self.value(of: key, in: file.values) {
            return try self.checked(Entry(key: key, value: value, source: "file \(file.path)"))
        }
        return Entry(key: key, value: key.fallback, source: "default")
    }

    /// A key's value as text; numbers may be written as numbers or as text.
    private func value(of key: ConfigurationKey, in snapshot: any ConfigSnapshot) throws -> String? {
        if case .integer = key.kind, let found = try? snapshot.value(forKey: key.path, type: .int).value,
            case .int(let number) = found.content
        {
            return String(number)
        }
        do {
            guard let found = try snapshot.value(forKey: key.path, type: .string).value else { return nil }
            guard case .string(let text) = found.content else { return nil }
            return text
        } catch {
            let message = "\(key.name) in \(self.file?.path ?? "the configuration") has a value of the wrong type."
            throw CommandFailure("bad_configuration", message, cause: error)
        }
    }

    private func checked(_ entry: Entry) throws -> Entry {
        guard let value = entry.value, let rule = entry.key.rule(brokenBy: value) else { return entry }
        let found = entry.key.isSecret ? "\(value.utf8.count) bytes" : "'\(value)'"
        throw CommandFailure(
            "bad_configuration",
            "\(entry.key.name) (\(entry.source)): expected \(rule), got \(found)."
        )
    }

    private static func snapshot(of path: String) throws -> any ConfigSnapshot {
        let data = try InputFile.bytes(path)
        do {
            try self.checkMembers(of: try JSONSerialization.jsonObject(with: data), path: path)
            return try JSONSnapshot(data: Array(data).span.bytes, providerName: path, parsingOptions: .default)
        } catch let failure as CommandFailure {
            throw failure
        } catch {
            throw CommandFailure("bad_configuration", "\(path) is not a JSON object: \(error)", cause: error)
        }
    }

    private static func checkMembers(of object: Any, path: String, prefix: String = "") throws {
        guard let members = object as? [String: Any] else { return }
        for (name, value) in members.sorted(by: { $0.key < $1.key }) {
            let key = prefix + name
            if ConfigurationKey.all.contains(where: { $0.name == key }) { continue }
            guard value is [String: Any], ConfigurationKey.all.contains(where: { $0.name.hasPrefix("\(key).") }) else {
                let known = ConfigurationKey.all.map(\.name).joined(separator: ", ")
                throw CommandFailure("bad_configuration", "\(path): there is no key '\(key)'. There are: \(known)")
            }
            try self.checkMembers(of: value, path: path, prefix: "\(key).")
        }
    }
}

extension ConfigurationKey {
    /// The flag without its dashes: `apns-sandbox-host`.
    var flag: String { self.words.joined(separator: "-") }

    /// The environment variable: `APUS_APNS_SANDBOX_HOST`.
    var variable: String { "APUS_" + self.words.joined(separator: "_").uppercased() }

    /// The name's words in lower case: parted at dots and before capital letters.
    private var words: [String] {
        self.name.reduce(into: [""]) { words, character in
            if character == "." || character.isUppercase { words.append("") }
            if character != "." { words[words.count - 1] += character.lowercased() }
        }
    }
}
