// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import PushModel

/// Which jobs a worker looks after.
public enum JobScope: Hashable, Sendable {
    /// All that schedulers can do: those of every app but what is done in code.
    case builtIn

    /// Jobs of an app that a program does in code.
    case code(AppID, [JobID])
}
