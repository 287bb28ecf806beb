// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import CommandLineSupport
import Foundation

/// The sources of values, in the order of their precedence: flags, environment, file, defaults.
struct ConfigurationSources: Sendable {
    /// A value and its source.
    struct Entry: Sendable {
        let key: ConfigurationKey

        /// The value as text; `nil` for an optional key that no source sets.
        let value: String?

        /// `flag --port`, `environment APUS_PORT`, `file apus.json` or `default`.
        let source: String

        /// The value to display: secrets are masked.
        var shown: String {
            guard let value else { return "-" }
            return self.key.isSecret ? "********" : value
        }
    }

    private let flags: [ConfigurationKey: String]
    private let environment: [String: String]
    private let file: (path: String, values: JSONValue)?

    /// Reads `file`, a JSON file.
    ///
    /// - Throws: ``CommandError`` `.unreadable_file` or `.bad_configuration`, also for an unknown member of the file:
    ///   a misspelt key must not silently keep its default.
    init(flags: [ConfigurationKey: String], environment: [String: String], file: String?) throws {
        self.flags = flags
        self.environment = environment
        self.file = try file.map { ($0, try Self.values(of: $0)) }
    }

    /// The unknown variables with the prefix `APUS_`, which are probably misspelt.
    ///
    /// Unlike an unknown member of the file, they are no error, because many programs share the environment.
    static func unknownVariables(in environment: [String: String]) -> [String] {
        let others = ["APUS_CONFIG", "APUS_URL", "APUS_API_KEY"] + ClientTLSArguments.variables
        let known = Set(ConfigurationKey.all.map(\.variable) + others)
        return environment.keys.filter { $0.hasPrefix("APUS_") && !known.contains($0) }.sorted()
    }

    /// The value of every key.
    ///
    /// - Throws: ``CommandError`` `.bad_configuration` that names the key, the source and the rule.
    func entries() throws -> [Entry] {
        let entries = try ConfigurationKey.all.map(self.entry)
        let keys: Set<ConfigurationKey> = [.masterKey, .masterKeyFile, .masterKeyCommand]
        guard !entries.contains(where: { keys.contains($0.key) && $0.value != nil }),
            let path = self.credential(Self.masterKeyCredential)
        else { return entries }
        let source = "credential \(Self.masterKeyCredential)"
        return entries.map { $0.key == .masterKeyFile ? Entry(key: $0.key, value: path, source: source) : $0 }
    }

    /// The name of the systemd credential that is the master key, unless the configuration names another source.
    private static let masterKeyCredential = "master.key"

    /// The file of a credential that systemd passes to this process (`LoadCredential=`); `nil` if there is none.
    private func credential(_ name: String) -> String? {
        guard let directory = self.environment["CREDENTIALS_DIRECTORY"], directory.hasPrefix("/") else { return nil }
        let path = "\(directory)/\(name)"
        return FileManager.default.fileExists(atPath: path) ? path : nil
    }

    private func entry(_ key: ConfigurationKey) throws -> Entry {
        if let value = self.flags[key] {
            return try self.checked(Entry(key: key, value: value, source: "flag --\(key.flag)"))
        }
        if let text = self.environment[key.variable] {
            let value = key.kind == .boolean ? Self.truth(text) : text
            return try self.checked(Entry(key: key, value: value, source: "environment \(key.variable)"))
        }
        if let file, let value = Self.value(of: key, in: file.values) {
            return try self.checked(Entry(key: key, value: value, source: "file \(file.path)"))
        }
        return Entry(key: key, value: key.fallback, source: "default")
    }

    /// Returns `true` or `false` for the spellings that are usual in environments; any other text unchanged.
    private static func truth(_ text: String) -> String {
        switch text.lowercased() {
        case "true", "yes", "1": "true"
        case "false", "no", "0": "false"
        default: text
        }
    }

    /// The value of a key as text; numbers and booleans may also be JSON strings.
    private static func value(of key: ConfigurationKey, in values: JSONValue) -> String? {
        let found = key.name.split(separator: ".").reduce(values as JSONValue?) { $0?[String($1)] }
        return switch found {
        case .string(let text): text
        case .integer(let number): String(number)
        case .bool(let flag): String(flag)
        default: nil
        }
    }

    private func checked(_ entry: Entry) throws -> Entry {
        guard let value = entry.value, !entry.key.allows(value) else { return entry }
        let found = entry.key.isSecret ? "\(value.utf8.count) bytes" : "'\(value)'"
        throw CommandError(entry.key, entry.source, got: found)
    }

    private static func values(of path: String) throws -> JSONValue {
        let bytes = Array(try InputFile.bytes(path))
        do {
            let values = try JSONValue(json: bytes)
            guard case .object(let members) = values else {
                throw CommandError("bad_configuration", "\(path) is not a JSON object.")
            }
            try self.check(members, path: path)
            return values
        } catch let failure as CommandError {
            throw failure
        } catch {
            throw CommandError("bad_configuration", "\(path) is not a JSON object: \(error)", cause: error)
        }
    }

    /// Rejects unknown members, and values of a wrong type.
    private static func check(_ members: [String: JSONValue], path: String, prefix: String = "") throws {
        for (name, value) in members.sorted(by: { $0.key < $1.key }) {
            if let key = ConfigurationKey.all.first(where: { $0.name == prefix + name }) {
                guard let found = key.kind.mismatch(of: value) else { continue }
                throw CommandError(key, "file \(path)", got: found)
            }
            let isLevel = ConfigurationKey.all.contains { $0.name.hasPrefix("\(prefix)\(name).") }
            guard isLevel, case .object(let inner) = value else {
                let known = ConfigurationKey.all.map(\.name).joined(separator: ", ")
                let message = "\(path): there is no key '\(prefix)\(name)'. There are: \(known)"
                throw CommandError("bad_configuration", message)
            }
            try self.check(inner, path: path, prefix: "\(prefix)\(name).")
        }
    }
}

extension ConfigurationKey.Kind {
    /// The type of a value in the file if it does not fit the key; otherwise `nil`.
    fileprivate func mismatch(of value: JSONValue) -> String? {
        switch (value, self) {
        case (.string, _), (.integer, .integer), (.bool, .boolean): nil
        case (.integer, _), (.double, _): "a number"
        case (.bool, _): "a boolean"
        case (.null, _): "null"
        case (.array, _): "a list"
        case (.object, _): "an object"
        }
    }
}

extension CommandError {
    /// Creates the error for an invalid value, with key, source, rule and value.
    ///
    /// For a flag, the exit status is that of a wrong command line.
    init(_ key: ConfigurationKey, _ source: String, got found: String, cause: (any Error)? = nil) {
        let message = "\(key.name) (\(source)): expected \(key.rule), got \(found)."
        self.init("bad_configuration", message, status: source.hasPrefix("flag ") ? 2 : 1, cause: cause)
    }
}

extension ConfigurationKey {
    /// The flag without its dashes: `apns-sandbox-host`.
    var flag: String { self.words.joined(separator: "-") }

    /// The environment variable: `APUS_APNS_SANDBOX_HOST`.
    var variable: String { "APUS_" + self.words.joined(separator: "_").uppercased() }

    /// The words of the name in lower case, split at dots and before capital letters; an acronym at the end is one word.
    private var words: [String] {
        var followsCapital = false
        return self.name.reduce(into: [""]) { words, character in
            if character == "." || character.isUppercase && !followsCapital { words.append("") }
            if character != "." { words[words.count - 1] += character.lowercased() }
            followsCapital = character.isUppercase
        }
    }
}

extension ConfigurationKey {
    /// The valid values, as a phrase that follows "expected".
    var rule: String {
        switch self.kind {
        case .text: "a non-empty string"
        case .integer(let range): "a number from \(range.lowerBound) to \(range.upperBound)"
        case .boolean: "true or false"
        case .url(let schemes): "a URL that starts with \(schemes.map { "\($0)://" }.joined(separator: " or "))"
        case .choice(let choices): "one of \(choices.joined(separator: ", "))"
        case .list(let choices): "some of \(choices.joined(separator: ", ")), separated by commas, or none"
        }
    }

    func allows(_ value: String) -> Bool {
        switch self.kind {
        case .text: !value.isEmpty
        case .integer(let range): Int(value).map(range.contains) ?? false
        case .boolean: ["true", "false"].contains(value)
        case .url(let schemes): schemes.contains { value.hasPrefix("\($0)://") }
        case .choice(let choices): choices.contains(value)
        case .list(let choices):
            value == "none" || !value.isEmpty && value.split(separator: ",").allSatisfy { choices.contains(String($0)) }
        }
    }
}
