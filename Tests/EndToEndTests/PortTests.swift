// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import CommandLineSupport
import Foundation
import NIOCore
import NIOPosix
import Testing

@Suite("A port that is taken", .timeLimit(.minutes(20)))
struct PortTests {
    @Test(
        "ends the start with status 1 and a message that names the port",
        arguments: [
            ["serve", "--data", "DIR/data", "--port", "PORT"],
            ["simulate", "--dir", "DIR/simulator", "--port", "PORT"],
            ["simulate", "--dir", "DIR/simulator", "--control-port", "PORT"],
        ]
    )
    func taken(arguments: [String]) async throws {
        let holder = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .bind(host: "127.0.0.1", port: 0).get()
        let port = try #require(holder.localAddress?.port)
        try await withTemporaryDirectory { directory in
            let child = try ChildProcess(
                executable: BuiltExecutable.path,
                arguments: arguments.map {
                    $0.replacingOccurrences(of: "DIR", with: directory).replacingOccurrences(
                        of: "PORT",
                        with: "\(port)"
                    )
                },
                log: "\(directory)/log"
            )
            #expect(await child.end() == 1)
            #expect(child.logEnd.contains("\(port)"))
        }
        try await holder.close()
    }
}
