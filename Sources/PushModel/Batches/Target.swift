// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import APNs

/// One receiver of a batch: a token and the environment in which it is good.
public struct Target: Hashable, Sendable {
    /// The device token.
    public var token: DeviceToken

    /// The APNs environment.
    public var environment: APNsEnvironment

    /// Takes a token and its environment.
    public init(token: DeviceToken, environment: APNsEnvironment) {
        self.token = token
        self.environment = environment
    }
}
