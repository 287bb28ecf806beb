// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import HTTPTypes
import HummingbirdCore
import NIOCore
import NIOHTTP1

extension APICall {
    /// Has a client send its body that waits to be told so (`Expect: 100-continue`; RFC 9110, section 10.1.1).
    ///
    /// To be called once it is clear that the body will be read, and before the answer begins. Any other expectation is
    /// passed over.
    func inviteBody() async {
        guard let expectation = self.request.headers[.expect], expectation.lowercased() == "100-continue" else {
            return
        }
        let channel = self.context.channel
        // A connection that is broken says so when the body is read.
        try? await channel.eventLoop.flatSubmit { Self.writeContinue(to: channel) }.get()
    }

    /// Writes the interim answer past what encodes answers: each request has exactly one of those.
    private static func writeContinue(to channel: any Channel) -> EventLoopFuture<Void> {
        let written = channel.eventLoop.makePromise(of: Void.self)
        do {
            let encoder = try channel.pipeline.syncOperations.context(handlerType: HTTPResponseEncoder.self)
            let answer = channel.allocator.buffer(string: "HTTP/1.1 100 Continue\r\n\r\n")
            encoder.writeAndFlush(NIOAny(IOData.byteBuffer(answer)), promise: written)
        } catch {
            written.fail(error)
        }
        return written.futureResult
    }
}
