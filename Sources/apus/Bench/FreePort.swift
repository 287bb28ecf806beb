// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import NIOCore
import NIOPosix

/// A port that was free a moment ago, for a program that cannot pick one itself.
enum FreePort {
    static func find() async throws -> Int {
        let channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .bind(host: "127.0.0.1", port: 0).get()
        let port = channel.localAddress?.port
        try await channel.close()
        guard let port else { throw CommandFailure("no_port", "The system gave no free port.") }
        return port
    }
}
