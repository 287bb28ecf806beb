// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import Hummingbird
import Logging
import NIOCore

/// What belongs to one request on its way through the API.
public struct PushAPIContext: RequestContext {
    /// What Hummingbird keeps of a request.
    public var coreContext: CoreRequestContextStorage

    /// The connection.
    let channel: any Channel

    /// Begins the way of a request.
    public init(source: ApplicationRequestContextSource) {
        self.coreContext = CoreRequestContextStorage(source: source)
        self.channel = source.channel
    }
}
