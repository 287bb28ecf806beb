// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import APNsSimulator
import CommandLineSupport
import Foundation
import Logging
import Testing

@Suite("The example of a stream client", .timeLimit(.minutes(10)))
struct StreamExampleTests {
    private static let silent = Logger(label: "test.simulator") { _ in SwiftLogNoOpLogHandler() }

    private static let script: String = {
        var root = URL(filePath: #filePath)
        for _ in 0..<3 { root.deleteLastPathComponent() }
        return root.appending(path: "Examples/stream.py").path()
    }()

    /// What the example prints of a token that was not delivered to.
    private struct Failure: Decodable {
        let type: String
        let line: Int
        let reason: String?
    }

    @Test("sends 1,000 tokens, ten of them bad, through a kill and a stop of the server: nothing is lost or sent twice")
    func example() async throws {
        // Small slices and a small window, so that much is still to be sent when the server ends.
        let environment = [
            "APUS_DELIVERY_LEASE_DURATION_SECONDS": "2", "APUS_DELIVERY_CHUNK_SIZE": "10",
            "APUS_DELIVERY_MAX_IN_FLIGHT": "20",
        ]
        try await withTemporaryDirectory { directory in
            var configuration = APNsSimulatorConfiguration()
            configuration.deliveryBuffer = 3000
            try await withAPNsSimulator(configuration, logger: Self.silent) { simulator in
                var arrivals = simulator.deliveries().makeAsyncIterator()
                var lines = try simulator.bootDevices(990, apps: [ServerInTest.app]).map(\.hex)
                // Five that the server refuses, and five that APNs does not know.
                for number in 0..<5 { lines.insert("no token \(number)", at: 100 * number) }
                for number in 0..<5 { lines.insert(String(repeating: "0\(number)", count: 32), at: 150 * number + 50) }
                try Data(lines.joined(separator: "\n").utf8).write(to: URL(filePath: "\(directory)/tokens"))

                let server = try await ServerInTest(in: directory, simulator: simulator)
                let first = try await server.start(environment: environment)
                try await first.createApp(simulator)
                try Self.tell(first, in: directory)
                let client = try ChildProcess(
                    executable: "/usr/bin/env",
                    arguments: [
                        "python3", Self.script, "--app", ServerInTest.app, "--payload", #"{"aps":{"alert":"寿司"}}"#,
                        "--url-file", "\(directory)/url", "--quiet", "\(directory)/tokens",
                    ],
                    environment: ["APUS_API_KEY": server.key],
                    log: "\(directory)/client.log"
                )

                var times: [APNsID: Int] = [:]
                var ids: [VirtualDeviceID: Set<APNsID>] = [:]
                func take(until count: Int) async {
                    while ids.count < count, let arrival = await arrivals.next() {
                        times[arrival.notification.apnsID, default: 0] += 1
                        ids[arrival.device, default: []].insert(arrival.notification.apnsID)
                    }
                }
                await take(until: 100)
                await first.kill()
                // It sends nothing, so that the stream is open when it is stopped, however late the client comes.
                let second = try await server.start(with: "none", environment: environment)
                try Self.tell(second, in: directory)
                func log() throws -> String { try String(contentsOfFile: "\(directory)/client.log", encoding: .utf8) }
                while try !log().contains("connected again") { _ = try await second.api.call(.get, "/healthz") }
                #expect(await second.process.stop() == 0)
                let third = try await server.start(environment: environment)
                try Self.tell(third, in: directory)

                var failures: [Int: String] = [:]
                while let line = await client.nextLine() {
                    let failure = try JSON.decoder.decode(Failure.self, from: Data(line.utf8))
                    #expect(failures.updateValue(failure.reason ?? failure.type, forKey: failure.line) == nil)
                }
                #expect(await client.end() == 1, "\(client.logEnd)")
                #expect(failures.values.count { $0 == "rejected" } == 5)
                #expect(failures.values.count { $0 == "BadDeviceToken" } == 5)
                for (number, line) in lines.enumerated() where line.hasPrefix("no ") {
                    #expect(failures[number + 1] == "rejected")
                }
                await take(until: 990)
                #expect(ids.count == 990)
                // One notification for each device; what was on its way at the kill came twice at most, as the same.
                #expect(ids.values.allSatisfy { $0.count == 1 })
                #expect(times.values.allSatisfy { $0 <= 2 })
                #expect(times.values.count { $0 == 2 } <= 20)
                #expect(try log().contains("shutting_down"))
                #expect(await third.process.stop() == 0)
            }
        }
    }

    @Test("goes on with the stream at another server when the one that took it up falls silent")
    func silence() async throws {
        let environment = [
            "APUS_DELIVERY_LEASE_DURATION_SECONDS": "2", "APUS_DELIVERY_CHUNK_SIZE": "10",
            "APUS_DELIVERY_MAX_IN_FLIGHT": "20",
        ]
        try await withTemporaryDirectory { directory in
            try await withAPNsSimulator(logger: Self.silent) { simulator in
                var arrivals = simulator.deliveries().makeAsyncIterator()
                let tokens = try simulator.bootDevices(300, apps: [ServerInTest.app]).map(\.hex)
                try Data(tokens.joined(separator: "\n").utf8).write(to: URL(filePath: "\(directory)/tokens"))
                let server = try await ServerInTest(in: directory, simulator: simulator)
                let first = try await server.start(environment: environment)
                try await first.createApp(simulator)
                try Self.tell(first, in: directory)
                // In the middle it stands still: its answers are held back, so that there is a middle.
                let held = simulator.inject(SimulatorFault(.hold, skip: 100))
                let client = try ChildProcess(
                    executable: "/usr/bin/env",
                    arguments: [
                        "python3", Self.script, "--app", ServerInTest.app, "--payload", #"{"aps":{"alert":"Hello"}}"#,
                        "--url-file", "\(directory)/url", "--quiet", "--timeout", "2", "\(directory)/tokens",
                    ],
                    environment: ["APUS_API_KEY": server.key],
                    log: "\(directory)/client.log"
                )
                var ids: [VirtualDeviceID: Set<APNsID>] = [:]
                func take(until count: Int) async {
                    while ids.count < count, let arrival = await arrivals.next() {
                        ids[arrival.device, default: []].insert(arrival.notification.apnsID)
                    }
                }
                await take(until: 100)
                try await first.standStillBetweenWrites()
                defer { first.process.goOn() }
                simulator.removeFault(held)
                let second = try await server.start(environment: environment)
                try Self.tell(second, in: directory)

                #expect(await client.end() == 0, "\(client.logEnd)")
                await take(until: 300)
                #expect(ids.values.allSatisfy { $0.count == 1 }, "none was sent under two ids")
                let log = try String(contentsOfFile: "\(directory)/client.log", encoding: .utf8)
                #expect(log.contains("the server has said nothing for 2 seconds"))
                first.process.goOn()
                #expect(await first.process.stop() == 0)
                #expect(await second.process.stop() == 0)
            }
        }
    }

    @Test("says when nothing new is sent, and takes the same file for another environment as another stream")
    func again() async throws {
        try await ServerInTest.with { simulator, server in
            let tokens = try simulator.bootDevices(20, apps: [ServerInTest.app]).map(\.hex)
            try Data(tokens.joined(separator: "\n").utf8).write(to: URL(filePath: "\(server.directory)/tokens"))
            func run(_ name: String, _ more: [String] = []) async throws -> (status: Int32?, log: String) {
                let log = "\(server.directory)/\(name).log"
                let client = try ChildProcess(
                    executable: "/usr/bin/env",
                    arguments: [
                        "python3", Self.script, "--app", ServerInTest.app, "--payload", #"{"aps":{"alert":"Hello"}}"#,
                        "--quiet", "\(server.directory)/tokens",
                    ] + more,
                    environment: server.environment,
                    log: log
                )
                let status = await client.end()
                return (status, try String(contentsOfFile: log, encoding: .utf8))
            }
            let first = try await run("first")
            #expect(first.status == 0)
            #expect(!first.log.contains("accepted before"))
            #expect(simulator.statistics.accepted == 20)
            let second = try await run("second")
            #expect(second.status == 0)
            #expect(second.log.contains("all 20 lines of this stream were accepted before: nothing new is sent"))
            #expect(simulator.statistics.accepted == 20)
            let other = try await run("other", ["--environment", "sandbox"])
            #expect(other.status == 0)
            #expect(!other.log.contains("accepted before"))
            #expect(simulator.statistics.accepted == 40)
        }
    }

    @Test("says which line of its file no token can stand in, and ends; the mark of an editor is passed over")
    func badFile() async throws {
        try await ServerInTest.with { simulator, server in
            let tokens = try simulator.bootDevices(20, apps: [ServerInTest.app]).map(\.hex)
            func run(_ name: String, _ lines: [String], mark: [UInt8] = []) async throws -> (Int32?, log: String) {
                let path = "\(server.directory)/\(name)"
                try Data(mark + lines.joined(separator: "\r\n").utf8).write(to: URL(filePath: path))
                let client = try ChildProcess(
                    executable: "/usr/bin/env",
                    arguments: [
                        "python3", Self.script, "--app", ServerInTest.app, "--payload", #"{"aps":{"alert":"Hello"}}"#,
                        "--quiet", path,
                    ],
                    environment: server.environment,
                    log: "\(path).log"
                )
                let status = await client.end()
                return (status, try String(contentsOfFile: "\(path).log", encoding: .utf8))
            }
            var lines = tokens
            lines[6] = "ä" + lines[6]
            let (bad, complaint) = try await run("bad", lines)
            #expect(bad == 1)
            #expect(complaint.contains("line 7 of the file of tokens has characters that no token has"), "\(complaint)")
            #expect(!complaint.contains("Traceback"), "\(complaint)")
            #expect(simulator.statistics.accepted == 0)
            let (marked, log) = try await run("marked", tokens, mark: [0xef, 0xbb, 0xbf])
            #expect(marked == 0, "\(log)")
            #expect(simulator.statistics.accepted == 20)
        }
    }

    @Test("refuses a payload that is no JSON object before anything is sent", arguments: ["[1]", "7", "{", #""a""#])
    func badPayload(payload: String) async throws {
        try await withTemporaryDirectory { directory in
            try Data("ab\n".utf8).write(to: URL(filePath: "\(directory)/tokens"))
            let client = try ChildProcess(
                executable: "/usr/bin/env",
                arguments: [
                    "python3", Self.script, "--app", ServerInTest.app, "--payload", payload, "--url",
                    "http://127.0.0.1:1", "--attempts", "0", "\(directory)/tokens",
                ],
                log: "\(directory)/log"
            )
            #expect(await client.nextLine() == nil)
            #expect(await client.end() == 1)
            #expect(client.logEnd.hasPrefix("stream.py: "), "\(client.logEnd)")
            #expect(!client.logEnd.contains("the connection broke"), "\(client.logEnd)")
            if payload != "{" { #expect(client.logEnd.contains("--payload has to be a JSON object")) }
        }
    }

    private static func tell(_ server: ServerInTest.Running, in directory: String) throws {
        let url = try #require(server.environment["APUS_URL"])
        try Data(url.utf8).write(to: URL(filePath: "\(directory)/url"), options: .atomic)
    }
}
