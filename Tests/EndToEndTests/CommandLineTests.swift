// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import CommandLineSupport
import Foundation
import Testing

@testable import apus_bench

@Suite("The command line", .timeLimit(.minutes(20)))
struct CommandLineTests {
    @Test(
        "a wrong command line ends with status 2 and the usage",
        arguments: [
            ["bogus"], ["serve", "--no-such-flag"], ["simulate", "--port", "70000"], ["send", "com.example.app"],
            ["send", "com.example.app", "--device", "a", "--user", "b", "--title", "x"],
            ["apps", "credential", "add", "com.example.app", "--p8", "key.p8"],
            ["apps", "create"], ["devices", "put", "com.example.app", "phone"], ["keys", "create", "x"],
            ["keys", "create", "x", "--scope", "read", "--days", "0"],
            ["simulate", "--option", "nothing"], ["simulate", "--option", "nothing=1"],
            ["canary", "com.example.app"], ["canary", "com.example.app", "--token", "0f", "--p8", "key.p8"],
            ["ready", "--timeout", "0"], ["simulate", "--invalid-rate", "0.1"], ["simulate", "--population-seed", "2"],
        ]
    )
    func usage(arguments: [String]) async throws {
        try await withTemporaryDirectory { directory in
            let child = try ChildProcess(
                executable: BuiltExecutable.path,
                arguments: arguments,
                log: "\(directory)/log"
            )
            #expect(await child.end() == 2)
            #expect(child.logEnd.contains("Usage: apus"))
        }
    }

    @Test("an unknown behavior option is rejected with a list of all of them, one per line")
    func unknownBehaviorOption() async throws {
        try await withTemporaryDirectory { directory in
            let run = try await CommandRun("simulate", "--option", "storage.bogus=1", in: directory)
            #expect(run.status == 2)
            let lines = run.errors.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
            #expect(lines.contains("storage.uninstallNotice"))
            #expect(lines.contains("pastExpiration"))
        }
    }

    @Test(
        "a misspelt option is reported with the most similar one, also if a value is missing because of it",
        arguments: [
            (["keys", "create", "x", "--scope", "read", "--dta", "data"], "--dta", "--data"),
            (["campaign", "create", "com.example.app", "--titel=Hello"], "--titel", "--title"),
            (["doctor", "--conifg", "apus.json"], "--conifg", "--config"),
            (["jobs", "put", "com.example.app", "nightly", "--crn", "@daily"], "--crn", "--cron"),
        ]
    )
    func misspeltOption(arguments: [String], option: String, known: String) async throws {
        try await withTemporaryDirectory { directory in
            let run = try await CommandRun(arguments, in: directory)
            #expect(run.status == 2)
            let message = "Error: Unknown option '\(option)'. Did you mean '\(known)'?\nUsage: apus "
            #expect(run.errors.hasPrefix(message), "\(run.errors)")
        }
    }

    @Test("every command explains itself")
    func help() async throws {
        // One after the other: each is a process.
        let commands = [
            "", "serve", "simulate", "demo", "send", "apps", "apps list", "apps create", "apps delete",
            "apps credential", "apps credential add", "apps credential list", "apps credential remove", "devices",
            "devices list", "devices put", "devices delete", "keys", "keys create", "keys list", "keys revoke",
            "keys rotate-master", "config", "config print", "canary", "doctor", "ready",
        ]
        let executables = [
            (BuiltExecutable.path, "apus", commands),
            (BuiltExecutable.bench, "apus-bench", ["", "sender", "simulator", "peers", "soak"]),
        ]
        try await withTemporaryDirectory { directory in
            for (executable, name, commands) in executables {
                for command in commands {
                    let words = command.split(separator: " ").map(String.init)
                    let run = try await CommandRun(words + ["--help"], of: executable, in: directory)
                    #expect(run.status == 0)
                    #expect(run.errors.isEmpty)
                    #expect(run.lines.first?.hasPrefix("OVERVIEW: ") == true)
                    #expect(run.lines.contains { $0.hasPrefix((["USAGE: \(name)"] + words).joined(separator: " ")) })
                }
            }
        }
    }

    @Test(
        "ready, doctor and canary hide the options of the server from their help",
        arguments: ["ready", "doctor", "canary"]
    )
    func hiddenOptions(command: String) async throws {
        try await withTemporaryDirectory { directory in
            let help = try await CommandRun(command, "--help", in: directory)
            #expect(!help.lines.contains { $0.contains("--delivery-chunk-size") })
            let complete = try await CommandRun(command, "--help-hidden", in: directory)
            #expect(complete.status == 0)
            #expect(complete.lines.contains { $0.contains("--delivery-chunk-size") })
        }
    }

    @Test("apus-bench without an apus beside it says what builds both")
    func missingServer() async throws {
        try await withTemporaryDirectory { directory in
            let failure = #expect(throws: CommandError.self) {
                try ApusExecutable.path(beside: "\(directory)/apus-bench")
            }
            #expect(failure?.code == "missing_executable")
            #expect(failure?.message.contains("\(directory)/apus:") == true)
        }
        #expect(try ApusExecutable.path(beside: BuiltExecutable.bench) == BuiltExecutable.path)
    }

    @Test("a flag with a value that breaks its rule is a wrong command line, too")
    func wrongFlagValue() async throws {
        try await withTemporaryDirectory { directory in
            let run = try await CommandRun("serve", "--port", "many", "--data", "\(directory)/data", in: directory)
            #expect(run.status == 2)
            #expect(run.errors.contains("port (flag --port): expected a number from 0 to 65535, got 'many'."))
        }
    }

    @Test("a server that is not there is named, with status 1")
    func unreachable() async throws {
        try await withTemporaryDirectory { directory in
            let environment = ["APUS_URL": "http://127.0.0.1:1", "APUS_API_KEY": "apus_x"]
            let words = try await CommandRun("apps", "list", environment: environment, in: directory)
            #expect(words.status == 1)
            #expect(words.errors.contains("http://127.0.0.1:1"))
            let json = try await CommandRun("apps", "list", "--json", environment: environment, in: directory)
            #expect(json.status == 1)
            #expect(json.failure?.code == "unreachable")
        }
    }

    @Test("without an API key the message says how to make one")
    func noKey() async throws {
        try await withTemporaryDirectory { directory in
            let run = try await CommandRun("apps", "list", environment: ["APUS_API_KEY": ""], in: directory)
            #expect(run.status == 1)
            #expect(run.errors.contains("apus keys create NAME --scope admin"))
        }
    }

    @Test("keys are made, listed and revoked in a store without a server; the secret is shown once")
    func localKeys() async throws {
        try await withTemporaryDirectory { directory in
            let data = "\(directory)/data"
            let create = ["keys", "create", "first", "--scope", "admin", "--data", data, "--json"]
            let made = try await CommandRun(create, in: directory)
            let key = try made.lastLine(as: KeyResponse.self)
            #expect(made.status == 0)
            #expect(key.scopes == ["admin"])
            let secret = try #require(key.key)

            _ = try await CommandRun("keys", "revoke", key.id, "--data", data, in: directory)
            let listed = try await CommandRun("keys", "list", "--data", data, "--json", in: directory)
            let found = try listed.lastLine(as: KeyResponse.self)
            #expect(found.id == key.id)
            #expect(found.revokedAt != nil)
            #expect(!listed.lines.joined().contains(secret))
        }
    }
}
