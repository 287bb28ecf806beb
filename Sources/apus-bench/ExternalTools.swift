// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import CommandLineSupport
import Foundation
import NIOCore
import NIOPosix

/// An external program that a measurement needs.
enum ExternalTool {
    /// Where a program is, looked for in `PATH` and the places of system administrators.
    static func path(_ name: String) throws -> String {
        let search = ProcessInfo.processInfo.environment["PATH", default: ""].split(separator: ":").map(String.init)
        for directory in search + ["/usr/sbin", "/sbin", "/usr/local/sbin"] {
            let candidate = "\(directory)/\(name)"
            if FileManager.default.isExecutableFile(atPath: candidate) { return candidate }
        }
        throw CommandError("missing_tool", "\(name) is not installed. Run dev/setup bench, which installs it.")
    }

    /// Runs a program to its end and returns the lines of its standard output.
    static func run(_ executable: String, _ arguments: [String], log: String) async throws -> [String] {
        let child = try ChildProcess(executable: executable, arguments: arguments, log: log)
        var lines: [String] = []
        while let line = await child.nextLine() { lines.append(line) }
        let status = await child.exitStatus()
        guard status == 0 else {
            throw CommandError("tool_failed", "\(executable) ended with status \(status):\n\(child.logEnd)")
        }
        return lines
    }

    /// Runs a program to its end and decodes the last line of its standard output.
    static func report<Report: Decodable>(
        _ type: Report.Type,
        of executable: String,
        _ arguments: [String],
        log: String
    ) async throws -> Report {
        let lines = try await self.run(executable, arguments, log: log)
        guard let line = lines.last else { throw CommandError("no_report", "\(executable) reported nothing.") }
        return try JSON.decoder.decode(type, from: Data(line.utf8))
    }
}

/// The measured `apus` executable, which the build puts next to this one.
enum ApusExecutable {
    /// - Throws: ``CommandError`` `.missing_executable`.
    static func path(beside executable: String = CurrentExecutable.path) throws -> String {
        let path = URL(fileURLWithPath: executable).deletingLastPathComponent().appending(path: "apus").path
        guard FileManager.default.isExecutableFile(atPath: path) else {
            throw CommandError(
                "missing_executable",
                "No executable at \(path): apus-bench starts the apus in its own directory. Build both with dev/bench "
                    + "or dev/soak."
            )
        }
        return path
    }
}

/// h2load as the other side of a measurement: the same requests from a program that does nothing else.
struct H2Load {
    let port: Int
    let authorization: String
    let tokens: [String]
    let arguments: BenchArguments
    let directory: URL

    /// Sends the requests on one core and returns the responses per second.
    func run(core: Int) async throws -> Double {
        let uris = self.directory.appending(path: "uris.txt")
        let payload = self.directory.appending(path: "payload.json")
        let lines = self.tokens.map { "https://localhost:\(self.port)/3/device/\($0)" }
        try Data(lines.joined(separator: "\n").utf8).write(to: uris)
        try Data(BenchNotification.payload.utf8).write(to: payload)
        let (executable, arguments) = CPUAffinity.pinned(
            try ExternalTool.path("h2load"),
            [
                "-n", "\(self.arguments.requests)", "-c", "\(self.arguments.connections)",
                "-m", "\(self.arguments.streams)", "-t", "1", "-i", uris.path, "-d", payload.path,
                "-H", "authorization: \(self.authorization)", "-H", "apns-topic: \(BenchNotification.topic)",
                "-H", "apns-push-type: alert", "-H", "apns-priority: 10",
            ],
            to: core
        )
        let log = self.directory.appending(path: "h2load.log").path
        return try Self.rate(in: await ExternalTool.run(executable, arguments, log: log))
    }

    /// Parses h2load's report, and checks that all responses were successful.
    private static func rate(in report: [String]) throws -> Double {
        let finished = report.first { $0.hasPrefix("finished in") }
        let rate = finished?.split(separator: ",").first { $0.contains("req/s") }?
            .split(separator: " ").first.flatMap { Double($0) }
        let codes = report.first { $0.hasPrefix("status codes:") } ?? ""
        let counts = codes.dropFirst("status codes:".count).split(separator: ",")
        let meant = counts.first { $0.contains("2xx") }?.split(separator: " ").first.flatMap { Int($0) } ?? 0
        let others = counts.filter { !$0.contains("2xx") }
            .compactMap { $0.split(separator: " ").first.flatMap { Int($0) } }.reduce(0, +)
        guard let rate, meant > 0, others == 0 else {
            let text = report.joined(separator: " | ")
            throw CommandError("bad_report", "h2load got other answers than 2xx: \(text)")
        }
        return rate
    }
}

/// nghttpd as the server of a measurement: its response to each token is an empty 200, as that of APNs.
struct Nghttpd {
    /// The number of files that nghttpd serves, below its limit of 2,048 open files.
    ///
    /// Above it, nghttpd reopens a file for nearly each request. That would be measured instead of the senders.
    static let tokenCount = 2_000

    let port: Int
    let directory: URL
    private let process: ChildProcess

    var certificate: URL { self.directory.appending(path: "cert.pem") }
    var tokens: URL { self.directory.appending(path: "tokens.txt") }

    /// Lays out a directory with an empty file for each token, and starts the server on one core.
    static func start(in directory: URL, streams: Int, core: Int) async throws -> Nghttpd {
        let log = directory.appending(path: "nghttpd.log").path
        let devices = directory.appending(path: "www/3/device")
        try FileManager.default.createDirectory(at: devices, withIntermediateDirectories: true)
        let tokens = BenchNotification.tokens(Self.tokenCount)
        let empty = directory.appending(path: "empty")
        try Data().write(to: empty)
        for token in tokens { try FileManager.default.linkItem(at: empty, to: devices.appending(path: token)) }
        try Data(tokens.joined(separator: "\n").utf8).write(to: directory.appending(path: "tokens.txt"))

        let certificate = directory.appending(path: "cert.pem").path
        let key = directory.appending(path: "key.pem").path
        _ = try await ExternalTool.run(
            ExternalTool.path("openssl"),
            [
                "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2",
                "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1",
                "-keyout", key, "-out", certificate,
            ],
            log: log
        )
        let port = try await FreePort.find()
        let (executable, arguments) = CPUAffinity.pinned(
            try ExternalTool.path("nghttpd"),
            [
                "-a", "127.0.0.1", "-m", "\(streams)", "-d", directory.appending(path: "www").path, "\(port)", key,
                certificate,
            ],
            to: core
        )
        let process = try ChildProcess(executable: executable, arguments: arguments, log: log)
        return Nghttpd(port: port, directory: directory, process: process)
    }

    func stop() async {
        self.process.kill()
        _ = await self.process.exitStatus()
    }
}

/// The machine's cores, and how a process is bound to one of them.
enum CPUAffinity {
    static let count = ProcessInfo.processInfo.activeProcessorCount

    /// The command line that runs a tool on one core only, where the machine has several and `taskset`.
    static func pinned(_ executable: String, _ arguments: [String], to core: Int) -> (String, [String]) {
        guard Self.count > 1, FileManager.default.isExecutableFile(atPath: Self.taskset) else {
            return (executable, arguments)
        }
        return (Self.taskset, ["-c", "\(core)", executable] + arguments)
    }

    private static let taskset = "/usr/bin/taskset"
}

/// A port that was free a moment ago, for a program that cannot pick one itself.
enum FreePort {
    static func find() async throws -> Int {
        let channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .bind(host: "127.0.0.1", port: 0).get()
        let port = channel.localAddress?.port
        try await channel.close()
        guard let port else { throw CommandError("no_port", "The system gave no free port.") }
        return port
    }
}
