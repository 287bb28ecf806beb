// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

#if os(Linux)
import CommandLineSupport
import Glibc
import Testing

/// The network between a process and a port of this machine, which a test can split.
///
/// While it is split, packets are dropped before they are acknowledged, and neither end learns of it. New connections get
/// no response either.
struct SplitNetwork: Sendable {
    private let process: ChildProcess

    /// The port that leads to the other one.
    let port: Int

    /// Runs a test with a network in front of a port.
    static func with(_ port: Int, in directory: String, _ body: (SplitNetwork) async throws -> Void) async throws {
        let script = "Tests/EndToEndTests/PythonClients/Scripts/split_network.py"
        let process = try await PythonEnvironment.start([PythonEnvironment.file(script), "\(port)"], in: directory)
        let line = await process.nextLine() ?? ""
        let network = SplitNetwork(process: process, port: try #require(Int(line), "\(process.logEnd)"))
        do {
            try await body(network)
        } catch {
            process.kill()
            throw error
        }
        #expect(await process.stop() == 0, "\(process.logEnd)")
    }

    func split() async { await self.signal(SIGUSR1, until: "split") }

    func join() async { await self.signal(SIGUSR2, until: "joined") }

    private func signal(_ number: Int32, until line: String) async {
        #expect(kill(self.process.processID, number) == 0)
        #expect(await self.process.nextLine() == line, "\(self.process.logEnd)")
    }
}
#endif
