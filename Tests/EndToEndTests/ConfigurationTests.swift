// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import ArgumentParser
import Foundation
import PushAPI
import PushModel
import Testing

@testable import CommandLineSupport
@testable import apus

@Suite("Configuration")
struct ConfigurationTests {
    @Test("flags are stronger than the environment, that than the file, that than the defaults")
    func precedence() async throws {
        try await withFile(#"{"port": 3, "host": "file", "apns": {"sandbox": {"port": 2197}}}"#) { file in
            let sources = try ConfigurationSources(
                flags: [.port: "1"],
                environment: ["APUS_PORT": "2", "APUS_HOST": "environment"],
                file: file
            )
            let entries = Dictionary(uniqueKeysWithValues: try sources.entries().map { ($0.key, $0) })
            #expect(entries[.port]?.value == "1")
            #expect(entries[.port]?.source == "flag --port")
            #expect(entries[.host]?.value == "environment")
            #expect(entries[.host]?.source == "environment APUS_HOST")
            #expect(entries[.sandboxPort]?.value == "2197")
            #expect(entries[.sandboxPort]?.source == "file \(file)")
            #expect(entries[.productionPort]?.value == "443")
            #expect(entries[.productionPort]?.source == "default")
        }
    }

    @Test("child processes are given the database in the variable that the server reads")
    func storeURL() {
        #expect(ServerStore.environment(url: "postgres:") == [ConfigurationKey.storeURL.variable: "postgres:"])
    }

    @Test("every key has its own flag and environment variable, and its default obeys its own rule")
    func names() {
        let keys = ConfigurationKey.all
        #expect(Set(keys.map(\.flag)).count == keys.count)
        #expect(Set(keys.map(\.variable)).count == keys.count)
        #expect(ConfigurationKey.masterKeyFile.flag == "master-key-file")
        #expect(ConfigurationKey.insecureWebhooks.flag == "webhooks-allow-http")
        #expect(ConfigurationKey.sandboxHost.variable == "APUS_APNS_SANDBOX_HOST")
        for key in keys {
            if let fallback = key.fallback { #expect(key.allows(fallback)) }
        }
    }

    @Test(
        "a value that breaks its rule is refused with key, source and rule",
        arguments: [
            ("APUS_PORT", "70000", "port (environment APUS_PORT): expected a number from 0 to 65535, got '70000'."),
            (
                "APUS_WITH", "delivery,cooking",
                "with (environment APUS_WITH): expected some of delivery, scheduling, separated by commas, or none, "
                    + "got 'delivery,cooking'."
            ),
            ("APUS_HOST", "", "host (environment APUS_HOST): expected a non-empty string, got ''."),
        ]
    )
    func badValue(variable: String, value: String, message: String) throws {
        let sources = try ConfigurationSources(flags: [:], environment: [variable: value], file: nil)
        let failure = try #require(throws: CommandError.self) { try sources.entries() }
        #expect(failure.code == "bad_configuration")
        #expect(failure.message == message)
    }

    @Test(
        "a file that is no JSON object, or has a member that is no key, is refused",
        arguments: [
            "", "[]", "{", #"{"prot": 1}"#, #"{"apns": {"sandbox": {"hots": "x"}}}"#, #"{"apns": 1}"#,
            #"{"port": 1} {"port": 2}"#,
        ]
    )
    func badFile(content: String) async throws {
        try await withFile(content) { file in
            let failure = try #require(throws: CommandError.self) {
                _ = try ConfigurationSources(flags: [:], environment: [:], file: file).entries()
            }
            #expect(failure.code == "bad_configuration")
        }
    }

    @Test(
        "a value of the wrong type in the file is refused with key, file and rule, and passes for no default",
        arguments: [
            (#"{"port": true}"#, "port", "a number from 0 to 65535, got a boolean"),
            (#"{"port": 80.5}"#, "port", "a number from 0 to 65535, got a number"),
            (#"{"port": null}"#, "port", "a number from 0 to 65535, got null"),
            (#"{"port": {"x": 1}}"#, "port", "a number from 0 to 65535, got an object"),
            (#"{"host": 5}"#, "host", "a non-empty string, got a number"),
            (#"{"host": []}"#, "host", "a non-empty string, got a list"),
            (#"{"apns": {"sandbox": {"port": 0}}}"#, "apns.sandbox.port", "a number from 1 to 65535, got '0'"),
        ]
    )
    func badType(content: String, key: String, expected: String) async throws {
        try await withFile(content) { file in
            let failure = try #require(throws: CommandError.self) {
                // The environment names another key, which must not be taken for the source.
                let environment = ["APUS_DATA": "elsewhere"]
                _ = try ConfigurationSources(flags: [:], environment: environment, file: file).entries()
            }
            #expect(failure.message == "\(key) (file \(file)): expected \(expected).")
            #expect(failure.status == 1)
        }
    }

    @Test("a wrong value is blamed on the strongest source that has one, and weaker ones do not matter")
    func blame() async throws {
        try await withFile(#"{"port": "weak"}"#) { file in
            func failure(_ flags: [ConfigurationKey: String], _ environment: [String: String]) throws -> String? {
                let sources = try ConfigurationSources(flags: flags, environment: environment, file: file)
                do {
                    _ = try sources.entries()
                    return nil
                } catch let failure as CommandError {
                    return failure.message
                }
            }
            let blamed = [
                try failure([:], [:]), try failure([:], ["APUS_PORT": "x"]),
                try failure([.port: "y"], ["APUS_PORT": "x"]), try failure([.port: "1"], ["APUS_PORT": "x"]),
            ].map { $0.map { String($0.prefix { $0 != ":" }) } }
            let sources = ["file \(file)", "environment APUS_PORT", "flag --port"]
            #expect(blamed == sources.map { "port (\($0))" } + [nil])
        }
    }

    @Test("a file that cannot be read is named together with who named it")
    func noFile() throws {
        let arguments = try ConfigurationArguments.parse([])
        let failure = try #require(throws: CommandError.self) {
            _ = try arguments.entries(environment: ["APUS_CONFIG": "/no/such.json"])
        }
        #expect(failure.message.hasPrefix("config (environment APUS_CONFIG): /no/such.json"))
        let flag = try ConfigurationArguments.parse(["--config", "/no/other.json"])
        let other = try #require(throws: CommandError.self) {
            _ = try flag.entries(environment: ["APUS_CONFIG": "/no/such.json"])
        }
        #expect(other.message.hasPrefix("config (flag --config): /no/other.json"))
    }

    @Test("a variable that looks like a key and is none is named")
    func unknownVariables() async throws {
        try await withTemporaryDirectory { directory in
            let environment = ["APUS_PROT": "1", "APUS_PORT": "2", "APUS_URL": "x", "APUS_CONFIG": ""]
            #expect(ConfigurationSources.unknownVariables(in: environment) == ["APUS_PROT"])
            let run = try await CommandRun(["config", "print"], environment: ["APUS_PROT": "1"], in: directory)
            #expect(run.status == 0)
            #expect(run.errors == "Ignored the unknown variable APUS_PROT.\n")
        }
    }

    @Test("the master key is never shown")
    func secret() throws {
        let sources = try ConfigurationSources(flags: [:], environment: ["APUS_MASTER_KEY": "c2VjcmV0"], file: nil)
        let entry = try #require(try sources.entries().first { $0.key == .masterKey })
        #expect(entry.shown == "********")
        #expect(try ServerConfiguration(try sources.entries()).masterKey == "c2VjcmV0")
    }

    @Test("a file with a secret that other users can read is named, and one without is not")
    func exposedFile() async throws {
        try await withTemporaryDirectory { directory in
            for (content, isNamed) in [(#"{"masterKey": "c2VjcmV0"}"#, true), (#"{"port": 1}"#, false)] {
                let file = "\(directory)/apus.json"
                try Data(content.utf8).write(to: URL(fileURLWithPath: file))
                try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: file)
                let run = try await CommandRun("config", "print", "--config", file, in: directory)
                #expect(run.status == 0, "\(run.errors)")
                #expect(run.errors.contains("chmod 600 \(file)") == isNamed, "\(run.errors)")
            }
        }
    }

    @Test("the credential directory is in the data directory unless it is set")
    func credentialDirectory() throws {
        func directory(_ environment: [String: String]) throws -> String {
            let sources = try ConfigurationSources(flags: [:], environment: environment, file: nil)
            return try ServerConfiguration(try sources.entries()).credentialDirectory
        }
        #expect(try directory(["APUS_DATA": "/data"]) == "/data/credentials")
        #expect(try directory(["APUS_CREDENTIAL_DIRECTORY": "/keys"]) == "/keys")
    }

    @Test("two sources of the master key contradict one another and are refused")
    func twoMasterKeys() throws {
        let environment = ["APUS_MASTER_KEY": "c2VjcmV0", "APUS_MASTER_KEY_FILE": "/some/file"]
        let entries = try ConfigurationSources(flags: [:], environment: environment, file: nil).entries()
        let failure = try #require(throws: CommandError.self) { _ = try ServerConfiguration(entries) }
        #expect(failure.message.contains("masterKey (environment APUS_MASTER_KEY)"))
        #expect(failure.message.contains("masterKeyFile (environment APUS_MASTER_KEY_FILE)"))
    }

    @Test("trusted proxies are addresses and ranges, without which no header of the PROXY protocol is read")
    func trustedProxies() throws {
        func configuration(_ proxies: String?, _ header: String = "false") throws -> ServerConfiguration {
            var environment = ["APUS_PROXY_PROTOCOL": header]
            environment["APUS_TRUSTED_PROXIES"] = proxies
            let sources = try ConfigurationSources(flags: [:], environment: environment, file: nil)
            return try ServerConfiguration(try sources.entries())
        }
        #expect(try configuration(nil).trustedProxies.ranges.isEmpty)
        let trusted = try configuration("10.0.0.0/8, ::1,192.0.2.1", "true").trustedProxies
        #expect(trusted.ranges.map(\.description) == ["10.0.0.0/8", "::1/128", "192.0.2.1/32"])
        #expect(trusted.sendProxyHeader)
        for (proxies, header) in [("proxy.example.com", "false"), ("10.0.0.0/33", "false"), (nil, "true")] {
            let failure = #expect(throws: CommandError.self) { _ = try configuration(proxies, header) }
            #expect(failure?.code == "bad_configuration")
        }
    }

    @Test("the document lists every key with its flag, variable, default and purpose")
    func document() throws {
        let rows = ConfigurationKey.all.map { key in
            let flag = key.isSecret ? "" : "`--\(key.flag)`"
            let fallback = key.fallback.map { "`\($0)`" } ?? ""
            return "| `\(key.name)` | \(flag) | `\(key.variable)` | \(fallback) | \(key.purpose) |"
        }
        try DocumentTable.expect(
            rows,
            below: "| key in the file | flag | environment | default | what it is |",
            in: "docs/configuration.md"
        )
    }

    private func withFile(_ content: String, _ body: (String) throws -> Void) async throws {
        try await withTemporaryDirectory { directory in
            let path = "\(directory)/apus.json"
            try Data(content.utf8).write(to: URL(fileURLWithPath: path))
            try body(path)
        }
    }
}
