// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import APNs

/// What decides where a batch goes: batches of one kind go to the same servers with the same credentials.
///
/// So they share the fate of these: while one kind cannot be sent, the others are.
public struct BatchKind: Hashable, Sendable {
    /// The app that the batch is sent for.
    public var app: AppID

    /// The environments among its targets; at least one.
    public var environments: Set<APNsEnvironment>

    /// The type of its pushes; some need a credential of their own.
    public var pushType: PushType

    /// Takes an app, the environments of its targets and the type of push.
    public init(app: AppID, environments: Set<APNsEnvironment>, pushType: PushType) {
        self.app = app
        self.environments = environments
        self.pushType = pushType
    }
}

extension Batch {
    /// What decides where the batch goes.
    public var kind: BatchKind {
        BatchKind(app: self.app, environments: self.targets.environments, pushType: self.headers.pushType)
    }
}
