// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import Hummingbird
import Logging

/// What belongs to one request on its way through the API.
public struct PushAPIContext: RequestContext {
    /// What Hummingbird keeps of a request.
    public var coreContext: CoreRequestContextStorage

    /// Begins the way of a request.
    public init(source: ApplicationRequestContextSource) {
        self.coreContext = CoreRequestContextStorage(source: source)
    }
}
