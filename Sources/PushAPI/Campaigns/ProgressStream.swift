// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Hummingbird
import NIOCore
import PushModel
import PushStore
import ServiceLifecycle

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Tells how far a campaign has come, as server-sent events, until nothing of it will change any more.
struct ProgressStream: Sendable {
    let store: any PushStore
    let reader: ProgressReader
    let clock: any Clock<Duration>
    let interval: Duration

    /// Says why the reader may not go on; `nil` while it may.
    let refusal: @Sendable () async -> Problem?

    /// Writes an event of the type `progress` at once and after each interval; `end` follows the last one.
    ///
    /// Ends early, without `end`, when the server is told to stop, the client has gone, or its key is good no more.
    func body(of id: CampaignID) -> ResponseBody {
        ResponseBody { writer in
            while !Task.isShuttingDownGracefully, await self.refusal() == nil,
                let status = try await self.store.campaign(id)
            {
                let body = try JSONBody.bytes(try await self.reader.progress(status))
                try await writer.write(Self.event("progress", body))
                if status.isSettled {
                    try await writer.write(Self.event("end", Array("{}".utf8)))
                    break
                }
                let wait: Void? = try? await cancelWhenGracefulShutdown {
                    try await self.clock.sleep(for: self.interval)
                }
                if wait == nil { break }
            }
            try await writer.finish(nil)
        }
    }

    private static func event(_ name: String, _ data: [UInt8]) -> ByteBuffer {
        var buffer = ByteBuffer(string: "event: \(name)\ndata: ")
        buffer.writeBytes(data)
        buffer.writeString("\n\n")
        return buffer
    }
}
