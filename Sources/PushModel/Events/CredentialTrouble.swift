// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import APNs

/// Why nothing can be sent for an app in an environment, although somebody asks for it.
public struct CredentialTrouble: Hashable, Sendable {
    /// What a credential is needed for.
    public struct Subject: Hashable, Sendable {
        /// The app.
        public var app: AppID

        /// The environment.
        public var environment: APNsEnvironment

        /// The type of push; some need a credential of their own.
        public var pushType: PushType

        /// Takes an app, an environment and a type of push.
        public init(app: AppID, environment: APNsEnvironment, pushType: PushType) {
            self.app = app
            self.environment = environment
            self.pushType = pushType
        }
    }

    /// What is wrong.
    public enum Cause: Hashable, Sendable {
        /// APNs refuses the credential.
        case rejected(RejectionReason)

        /// There is none, or it cannot be read.
        case failed(FailureCode)
    }

    /// What the credential is needed for.
    public var subject: Subject

    /// What is wrong.
    public var cause: Cause

    /// Takes what the credential is needed for and what is wrong.
    public init(subject: Subject, cause: Cause) {
        self.subject = subject
        self.cause = cause
    }
}
