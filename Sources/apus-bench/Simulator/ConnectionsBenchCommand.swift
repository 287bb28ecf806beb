// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNsSimulator
import ArgumentParser
import CommandLineSupport
import Foundation
import HTTP2Session
import NIOCore
import NIOPosix
import NIOSSL

/// The simulator with many provider connections that say nothing.
struct ConnectionsBenchCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "connections",
        abstract: "The simulator's memory with many idle provider connections, and whether it grows."
    )

    @Option(help: "How many connections are opened.")
    var idleConnections = 10_000

    @Option(help: "For how long they are watched, in seconds.")
    var seconds = 30

    @OptionGroup var output: OutputArguments

    /// How many connections are being opened at a time.
    private static let width = 64
    /// The number of files that a process needs in addition to its connections.
    private static let otherFiles = 200

    private struct Report: Encodable {
        var connections: Int
        var stillOpen: Int
        var seconds: Int
        var rssMbEmpty: Double
        var rssMbOpen: Double
        var rssMb: Double
        var kbPerConnection: Double
        var growthMb: Double
        var openedPerS: Double
    }

    func validate() throws {
        try self.check("--idle-connections", self.idleConnections, in: 1...100_000)
        try self.check("--seconds", self.seconds, in: 1...86_400)
    }

    func run() async throws {
        let limit = FileDescriptorLimit.raiseLimit()
        guard limit >= self.idleConnections + Self.otherFiles else {
            let message = "the limit of open files is \(limit); raise it with ulimit -n, or use fewer connections"
            throw CommandError("too_few_files", message)
        }
        try self.tell(try await BenchSimulator.with { try await self.measure($0) })
    }

    private func measure(_ simulator: BenchSimulator) async throws -> Report {
        let empty = ProcessTable.residentMebibytes(of: simulator.processID)
        let started = ContinuousClock.now
        let channels = try await self.open(port: simulator.endpoints.port, in: simulator.directory)
        let opened = (ContinuousClock.now - started) / .seconds(1)
        Console.note("\(channels.count) connections are open after \(Int(opened)) s")
        let open = ProcessTable.residentMebibytes(of: simulator.processID)
        // The elapsed time is part of the measurement.
        try await Task.sleep(for: .seconds(self.seconds))
        let end = ProcessTable.residentMebibytes(of: simulator.processID)
        let stillOpen = channels.count { $0.isActive }
        for channel in channels { channel.close(promise: nil) }
        return Report(
            connections: channels.count,
            stillOpen: stillOpen,
            seconds: self.seconds,
            rssMbEmpty: empty.rounded(toPlaces: 1),
            rssMbOpen: open.rounded(toPlaces: 1),
            rssMb: end.rounded(toPlaces: 1),
            kbPerConnection: ((open - empty) * 1024 / Double(channels.count)).rounded(toPlaces: 1),
            growthMb: (end - open).rounded(toPlaces: 1),
            openedPerS: (Double(channels.count) / opened).rounded()
        )
    }

    private func open(port: Int, in directory: URL) async throws -> [any Channel] {
        let tls = try IdleProvider.context(caPath: directory.appending(path: "ca.pem").path)
        let group = MultiThreadedEventLoopGroup.singleton
        return try await withThrowingTaskGroup(of: (any Channel).self) { tasks in
            var channels: [any Channel] = []
            for index in 0..<self.idleConnections {
                if index >= Self.width, let channel = try await tasks.next() { channels.append(channel) }
                tasks.addTask { try await IdleProvider.connect(port: port, tls: tls, on: group.next()) }
            }
            for try await channel in tasks { channels.append(channel) }
            return channels
        }
    }

    private func tell(_ report: Report) throws {
        if self.output.json { return try Console.report(report) }
        Console.out("\(report.connections) idle connections for \(report.seconds) s; \(report.stillOpen) still open")
        Console.out(
            "memory  \(report.rssMbEmpty) MiB before, \(report.rssMbOpen) MiB with all open, \(report.rssMb) MiB at the end"
        )
        Console.out("        \(report.kbPerConnection) KiB a connection, \(report.growthMb) MiB of growth while idle")
    }
}

/// A provider's connection that is opened and then says nothing.
final class IdleProvider: HTTP2ConnectionDelegate {
    private let settled: EventLoopPromise<Void>
    private var hasSettled = false

    private init(_ settled: EventLoopPromise<Void>) {
        self.settled = settled
    }

    /// Connects; the server's SETTINGS have come when it returns.
    static func connect(port: Int, tls: NIOSSLContext, on eventLoop: any EventLoop) async throws -> any Channel {
        let settled = eventLoop.makePromise(of: Void.self)
        let channel = try await HTTP2Transport.connect(
            host: "127.0.0.1",
            port: port,
            tls: tls,
            serverName: "localhost",
            on: eventLoop,
            connectTimeout: .seconds(60),
            configuration: HTTP2ConnectionConfiguration(role: .client, handshakeTimeout: .seconds(60)),
            delegate: { IdleProvider(settled) }
        ).get()
        try await settled.futureResult.get()
        return channel
    }

    /// A context that trusts the simulator's authority.
    static func context(caPath: String) throws -> NIOSSLContext {
        var tls = TLSConfiguration.makeClientConfiguration()
        tls.trustRoots = .certificates(try NIOSSLCertificate.fromPEMFile(caPath))
        tls.applicationProtocols = ["h2"]
        return try NIOSSLContext(configuration: tls)
    }

    private func settle(_ result: Result<Void, any Error>) {
        guard !self.hasSettled else { return }
        self.hasSettled = true
        self.settled.completeWith(result)
    }

    func connectionDidOpen(_ connection: HTTP2Connection, peerCertificate: NIOSSLCertificate?) {}

    func connectionDidReadBurst(_ connection: HTTP2Connection) {}

    func connectionDidClose(_ connection: HTTP2Connection, error: HTTP2SessionError?) {
        self.settle(.failure(error ?? ChannelError.eof as any Error))
    }

    func sessionDidReceiveSettings(_ session: HTTP2Session) { self.settle(.success(())) }

    func session(_ session: HTTP2Session, didBeginHeadersOn stream: HTTP2Stream) {}

    func session(
        _ session: HTTP2Session,
        didReceiveField name: UnsafeBufferPointer<UInt8>,
        value: UnsafeBufferPointer<UInt8>,
        on stream: HTTP2Stream
    ) {}

    func session(_ session: HTTP2Session, didEndHeadersOn stream: HTTP2Stream, endStream: Bool) {}

    func session(_ session: HTTP2Session, didReceiveData bytes: UnsafeRawBufferPointer, on stream: HTTP2Stream) {}

    func session(_ session: HTTP2Session, didEndDataOn stream: HTTP2Stream) {}

    func session(_ session: HTTP2Session, didClose stream: HTTP2Stream, code: HTTP2ErrorCode) {}

    func session(
        _ session: HTTP2Session,
        didReceiveGoAway lastStreamID: Int32,
        code: HTTP2ErrorCode,
        debugData: UnsafeRawBufferPointer
    ) {}

    func sessionDidReceivePingAcknowledgement(_ session: HTTP2Session) {}
}
