// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNsSimulator
import ApusTesting
import CommandLineSupport
import Foundation
import PushModel
import Testing

@testable import apus

@Suite("A process that other machines reach", .timeLimit(.minutes(20)))
struct TLSProcessTests {
    /// Runs a test with a running `apus serve`, its ready message and the environment of commands that use it.
    private static func withServer(
        in directory: String,
        _ arguments: [String],
        environment: [String: String] = [:],
        _ body: (ServerReady, ChildProcess, [String: String]) async throws -> Void
    ) async throws {
        let data = "\(directory)/data"
        let key = try await ServerStore.open(data: data, url: nil) { store, _ in
            try await LocalAPIKeyRepository(store: store).create(NewAPIKey(name: "test", scopes: [.admin])).key ?? ""
        }
        let process = try ChildProcess(
            executable: BuiltExecutable.path,
            arguments: ["serve", "--port", "0", "--with", "none", "--data", data, "--json", "--exit-on-stdin-close"]
                + arguments,
            environment: environment,
            log: "\(directory)/serve.log"
        )
        let ready = try await process.ready(ServerReady.self)
        do {
            try await body(ready, process, ["APUS_URL": ready.url, "APUS_API_KEY": key])
        } catch {
            process.kill()
            _ = await process.exitStatus()
            throw error
        }
        try await process.close()
    }

    @Test(
        "does not start without TLS, and says what to do",
        arguments: ["0.0.0.0", "::", "192.0.2.1", "push.example.com"]
    )
    func insecure(host: String) async throws {
        try await withTemporaryDirectory { directory in
            let data = "\(directory)/data"
            let commands = [
                ["serve", "--port", "0"], ["deliver", "--probes-port", "0"], ["schedule", "--probes-port", "0"],
            ]
            for command in commands {
                let run = try await CommandRun(command + ["--host", host, "--data", data, "--json"], in: directory)
                #expect(run.status == 1)
                #expect(run.failure?.code == "insecure_http")
                for word in [host, "flag --host", "tls.certificate", "127.0.0.1", "--insecure-http"] {
                    #expect(run.failure?.message.contains(word) == true, "\(word)")
                }
            }
            #expect(!FileManager.default.fileExists(atPath: data))
        }
    }

    @Test("serves plain HTTP behind a proxy if it is told so, and logs what that means")
    func behindProxy() async throws {
        try await withTemporaryDirectory { directory in
            try await Self.withServer(in: directory, ["--host", "0.0.0.0", "--insecure-http"]) {
                ready,
                process,
                environment in
                #expect(ready.url.hasPrefix("http://127.0.0.1:"))
                #expect(process.logEnd.contains("insecureHTTP is set"))
                #expect(try await CommandRun("apps", "list", environment: environment, in: directory).status == 0)
            }
        }
    }

    @Test("serves TLS, and the commands verify it by the authority that they are given")
    func commands() async throws {
        try await withTemporaryDirectory { directory in
            let certificates = try TestCertificates(in: directory)
            let (certificate, key) = try certificates.write(try certificates.issueServer())
            let variables = ["APUS_TLS_CERTIFICATE": certificate, "APUS_TLS_KEY": key, "APUS_HOST": "0.0.0.0"]
            try await Self.withServer(in: directory, [], environment: variables) { ready, _, environment in
                #expect(ready.url.hasPrefix("https://127.0.0.1:"))
                let trusting = environment.merging(["APUS_CA": certificates.authorityFile]) { $1 }
                #expect(try await CommandRun("apps", "list", environment: trusting, in: directory).status == 0)
                let flag = try await CommandRun(
                    "ready",
                    "--ca",
                    certificates.authorityFile,
                    environment: environment,
                    in: directory
                )
                #expect(flag.status == 0, "\(flag.errors)")
                let refused = try await CommandRun("apps", "list", environment: environment, in: directory)
                #expect(refused.status == 1)
                #expect(refused.errors.contains("CERTIFICATE_VERIFY_FAILED"), "\(refused.errors)")

                // The health check of a container has the configuration of the server, and no URL.
                let port = try #require(URL(string: ready.url)?.port)
                let container = variables.merging(["APUS_PORT": "\(port)"]) { $1 }
                let health = try await CommandRun("ready", environment: container, in: directory)
                #expect(health.status == 0, "\(health.errors)")
                #expect(health.lines == ["\(ready.url) is ready"])
            }
        }
    }

    @Test("asks clients for a certificate, which commands and health checks present")
    func clientCertificates() async throws {
        try await withTemporaryDirectory { directory in
            let certificates = try TestCertificates(in: directory)
            let (certificate, key) = try certificates.write(try certificates.issueServer())
            let client = try certificates.write(try certificates.issueClient(), named: "client")
            let arguments = [
                "--tls-certificate", certificate, "--tls-key", key, "--tls-client-ca", certificates.authorityFile,
            ]
            try await Self.withServer(in: directory, arguments) { _, _, environment in
                let trusting = environment.merging(["APUS_CA": certificates.authorityFile]) { $1 }
                for command in [["apps", "list"], ["ready"]] {
                    let refused = try await CommandRun(command, environment: trusting, in: directory)
                    #expect(refused.status == 1)
                    let presenting = trusting.merging(
                        ["APUS_CLIENT_CERTIFICATE": client.certificate, "APUS_CLIENT_KEY": client.key]
                    ) { $1 }
                    let run = try await CommandRun(command, environment: presenting, in: directory)
                    #expect(run.status == 0, "\(run.errors)")
                }
            }
        }
    }

    @Test("uses a renewed certificate without a restart")
    func renewal() async throws {
        try await withTemporaryDirectory { directory in
            let old = try TestCertificates(in: directory)
            let new = try TestCertificates(in: directory, named: "new")
            let (certificate, key) = try old.write(try old.issueServer())
            let arguments = ["--tls-certificate", certificate, "--tls-key", key]
            try await Self.withServer(in: directory, arguments) { _, process, environment in
                try new.write(try new.issueServer())
                try await waitUntil {
                    let command = ["ready", "--ca", new.authorityFile]
                    return try await CommandRun(command, environment: environment, in: directory).status == 0
                }
                #expect(process.logEnd.contains("TLS certificate changed"))
            }
        }
    }

    @Test("does not start with files that it cannot use, and names key and source")
    func brokenFiles() async throws {
        try await withTemporaryDirectory { directory in
            let certificates = try TestCertificates(in: directory)
            let (certificate, key) = try certificates.write(try certificates.issueServer())
            let other = try certificates.write(try certificates.issueServer(), named: "other")
            let cases: [([String], String)] = [
                (
                    ["--tls-certificate", certificate],
                    "tls.certificate (flag --tls-certificate): expected tls.key as well"
                ),
                (["--tls-key", key], "tls.key (flag --tls-key): expected tls.certificate as well"),
                (["--tls-client-ca", certificate], "tls.clientCA (flag --tls-client-ca): expected tls.certificate"),
                (
                    ["--tls-certificate", certificate, "--tls-key", other.key],
                    "tls.key (flag --tls-key): expected the key of"
                ),
                (
                    ["--tls-certificate", key, "--tls-key", key],
                    "tls.certificate (flag --tls-certificate): expected a PEM"
                ),
                (
                    ["--tls-certificate", certificate, "--tls-key", "/none"],
                    "tls.key (flag --tls-key): expected a regular"
                ),
            ]
            for (arguments, message) in cases {
                let serve = ["serve", "--port", "0", "--data", "\(directory)/data", "--json"]
                let run = try await CommandRun(serve + arguments, in: directory)
                #expect(run.status == 1)
                #expect(run.failure?.code == "bad_configuration")
                #expect(run.failure?.message.hasPrefix(message) == true, "\(run.failure?.message ?? "")")
            }
            #expect(!FileManager.default.fileExists(atPath: "\(directory)/data"))
        }
    }

    @Test("serves the probes of a worker over TLS as well")
    func probes() async throws {
        try await withTemporaryDirectory { directory in
            let certificates = try TestCertificates(in: directory)
            let (certificate, key) = try certificates.write(try certificates.issueServer())
            let worker = try ChildProcess(
                executable: BuiltExecutable.path,
                arguments: [
                    "deliver", "--probes-port", "0", "--data", "\(directory)/data", "--json", "--exit-on-stdin-close",
                    "--tls-certificate", certificate, "--tls-key", key,
                ],
                log: "\(directory)/deliver.log"
            )
            let probes = try #require(try await worker.ready(WorkerReady.self).probes)
            #expect(probes.hasPrefix("https://"))
            let ready = try await CommandRun(
                "ready",
                "--wait",
                "60",
                "--url",
                probes,
                "--ca",
                certificates.authorityFile,
                in: directory
            )
            #expect(ready.status == 0, "\(ready.errors)")
            try await worker.close()
        }
    }

    #if os(Linux)
    @Test("writes no core file when it crashes, unless that is allowed", arguments: [false, true])
    func coreFiles(isAllowed: Bool) async throws {
        try await withTemporaryDirectory { directory in
            let arguments = isAllowed ? ["--core-dumps", "true"] : []
            try await Self.withServer(in: directory, arguments) { _, process, _ in
                func text(_ name: String) throws -> String {
                    try String(contentsOfFile: "/proc/\(process.processID)/\(name)", encoding: .utf8)
                }
                func limit(_ text: String) -> [Substring] {
                    let line = text.split(separator: "\n").first { $0.hasPrefix("Max core file size") } ?? ""
                    return line.split(separator: " ").dropFirst(4).prefix(2).map { $0 }
                }
                let own = try String(contentsOfFile: "/proc/self/limits", encoding: .utf8)
                let limits = try text("limits")
                #expect(limit(limits) == (isAllowed ? limit(own) : ["0", "0"]))
                let filter = try text("coredump_filter").trimmingCharacters(in: .whitespacesAndNewlines)
                #expect((UInt64(filter, radix: 16) == 0) == !isAllowed)
                #expect(process.logEnd.contains("coreDumps is set") == isAllowed)
            }
        }
    }
    #endif
}
