// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// Why a notification came to nothing without APNs having refused it; unknown codes survive a round trip.
public struct FailureCode: RawRepresentable, Hashable, Sendable, Codable, CustomStringConvertible {
    /// The code as it stands in answers and in the store.
    public let rawValue: String

    /// Takes a code as it is.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// APNs gave no answer within the time allowed; it may have been delivered.
    public static let deadline = FailureCode(rawValue: "deadline")

    /// No connection to APNs could be made, or it broke; it may have been delivered.
    public static let connection = FailureCode(rawValue: "connection")

    /// The request was called off before this target's turn.
    public static let cancelled = FailureCode(rawValue: "cancelled")

    /// The request's time was over before this target's turn.
    public static let expired = FailureCode(rawValue: "expired")

    /// The app has no credential for the target's environment and push type.
    public static let noCredential = FailureCode(rawValue: "no-credential")

    /// The app's credential could not be read: a missing file, a wrong password, another master key.
    public static let badCredential = FailureCode(rawValue: "bad-credential")

    /// What was stored of the batch could not be read.
    public static let damaged = FailureCode(rawValue: "damaged")

    /// The store failed again and again while the batch was sent, so that it was given up; it may have been delivered.
    public static let store = FailureCode(rawValue: "store")

    /// What was to be sent broke a rule that was noticed only while sending.
    public static let invalid = FailureCode(rawValue: "invalid")

    /// A message has a place for a value that the device never told.
    public static let missingValue = FailureCode(rawValue: "missing-value")

    /// A message is over Apple's limit with the values of this device.
    public static let payloadTooLarge = FailureCode(rawValue: "payload-too-large")

    /// Something newer to the same Live Activity took its place while it waited to be sent again.
    public static let superseded = FailureCode(rawValue: "superseded")

    /// The code.
    public var description: String { self.rawValue }
}
