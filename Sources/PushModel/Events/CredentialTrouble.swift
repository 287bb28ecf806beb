// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import APNs

/// Why pushes of an app in an environment cannot be sent.
public struct CredentialTrouble: Hashable, Sendable {
    /// What needs the credential.
    public struct Subject: Hashable, Sendable {
        public var app: AppID
        public var environment: APNsEnvironment

        /// The type of push; some need a credential of their own.
        public var pushType: PushType

        public init(app: AppID, environment: APNsEnvironment, pushType: PushType) {
            self.app = app
            self.environment = environment
            self.pushType = pushType
        }
    }

    /// The failure.
    public enum Cause: Hashable, Sendable {
        /// APNs refuses the credential.
        case rejected(RejectionReason)

        /// There is none, or it cannot be read.
        case failed(FailureCode)
    }

    public var subject: Subject
    public var cause: Cause

    public init(subject: Subject, cause: Cause) {
        self.subject = subject
        self.cause = cause
    }
}
