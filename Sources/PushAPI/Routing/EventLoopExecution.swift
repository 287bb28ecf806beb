// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Hummingbird
import HummingbirdCore
import Logging
import NIOCore
import PushModel

/// Serves each connection on the thread of its event loop.
///
/// A request then changes threads only to wait for the store. Handlers run there too if their route
/// ``APIRoute/runsOnEventLoop``. The others run on Swift's threads, because an event loop serves many connections.
struct EventLoopChannel<Base: ServerChildChannel>: ServerChildChannel {
    let base: Base

    /// The proxies whose connections may begin with a header of the PROXY protocol.
    var proxies = TrustedProxies()

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Base.Value> {
        let value = self.base.setup(channel: channel, logger: logger)
        guard self.proxies.sendProxyHeader, let peer = NetworkAddress(channel.remoteAddress),
            self.proxies.contains(peer)
        else { return value }
        return value.flatMapThrowing { value in
            // Before all other handlers, also those of TLS.
            try channel.pipeline.syncOperations.addHandler(ProxyHeaderHandler(), position: .first)
            return value
        }
    }

    func handle(value: Base.Value, logger: Logger) async {
        await withTaskExecutorPreference(EventLoopExecutor(value.channel.eventLoop)) {
            await self.base.handle(value: value, logger: logger)
        }
    }
}

private final class EventLoopExecutor: TaskExecutor {
    private let eventLoop: any EventLoop

    init(_ eventLoop: any EventLoop) {
        self.eventLoop = eventLoop
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        self.eventLoop.execute { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}

extension APIRoute {
    /// The largest body of a request that is handled on an event loop, in bytes.
    private static let maximumBody = 16 << 10

    /// The same route, whose handler runs on the event loop of the connection if the body is small.
    ///
    /// For handlers that use little processor time: a fraction of a millisecond. Reads of single rows of SQLite run on the
    /// event loop too.
    var onEventLoop: APIRoute {
        var route = self
        route.runsOnEventLoop = true
        return route
    }

    /// Handles a call on the event loop of its connection or on Swift's threads.
    func handle(_ call: AuthorizedRequest) async throws -> Response {
        let headers = call.request.headers
        let length = headers[.contentLength].map { Int($0) ?? .max } ?? (headers[.transferEncoding] == nil ? 0 : .max)
        if self.runsOnEventLoop, length <= Self.maximumBody { return try await self.handler(call) }
        return try await withTaskExecutorPreference(globalConcurrentExecutor) { try await self.handler(call) }
    }
}

extension ResponseBody {
    /// A body of unknown length, which is written on Swift's threads.
    static func stream(
        _ write: @Sendable @escaping (inout any ResponseBodyWriter) async throws -> Void
    ) -> ResponseBody {
        ResponseBody { writer in
            try await withTaskExecutorPreference(globalConcurrentExecutor) { try await write(&writer) }
        }
    }
}
