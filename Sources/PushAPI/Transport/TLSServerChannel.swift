// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import HummingbirdCore
import Logging
import NIOCore
import NIOSSL

/// Serves connections over TLS, each with the certificate at the time at which it is opened.
struct TLSServerChannel<Base: ServerChildChannel>: ServerChildChannel {
    let base: Base
    let certificates: TLSCertificates

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Base.Value> {
        channel.eventLoop.makeCompletedFuture {
            try channel.pipeline.syncOperations.addHandler(NIOSSLServerHandler(context: self.certificates.context))
        }.flatMap {
            self.base.setup(channel: channel, logger: logger)
        }
    }

    func handle(value: Base.Value, logger: Logger) async {
        await self.base.handle(value: value, logger: logger)
    }
}
