// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// Why an app cannot start a Live Activity: the names of ActivityKit's error of the same name.
public struct ActivityAuthorizationError: Error, Sendable, Hashable, CustomStringConvertible {
    /// What kind of refusal it is.
    public enum Code: String, Sendable, Hashable, Codable, CaseIterable {
        /// Attributes and content state have more than 4 KB together.
        case attributesTooLarge
        /// The device's system does not know what is asked for.
        case unsupported
        /// The person has switched the app's Live Activities off.
        case denied
        /// The device has as many activities as it may have.
        case globalMaximumExceeded
        /// The app has as many activities as it may have.
        case targetMaximumExceeded
        /// The app has not declared Live Activities.
        case unsupportedTarget
        /// The app is not in the foreground.
        case visibility
        /// The system cannot store the activity.
        case persistenceFailure
        /// The process that asks has no identity.
        case missingProcessIdentifier
        /// The app lacks an entitlement.
        case unentitled
        /// The identifier of the activity is malformed.
        case malformedActivityIdentifier
        /// The process may not take the activity up again.
        case reconnectNotPermitted
    }

    /// What kind of refusal it is.
    public var code: Code
    /// What was wrong, with the values involved.
    public var message: String

    /// The code's name and what was wrong.
    public var description: String { "\(self.code.rawValue): \(self.message)" }

    init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }
}
