// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs

/// The rules of the binary gateway.
///
/// Pure: what they say depends on the notification, the certificate, the world and the time handed in.
struct LegacyRules: Sendable {
    /// What becomes of a notification.
    enum Verdict: Equatable {
        /// It is a push to this registration.
        case accepted(RegistrationIndex)
        /// It is accepted and reaches nobody: the app is gone since then, in milliseconds since 1970.
        case gone(since: Int64)
        /// It is bad.
        case refused(LegacyStatus)
    }

    /// How many bytes a device token may have.
    private static let maximumToken = 100
    /// How many bytes an app's token has.
    private static let usualToken = 32

    let environment: APNsEnvironment
    let switches: LegacySwitches

    /// Judges a notification.
    ///
    /// - Parameters:
    ///   - notification: what was sent.
    ///   - topic: that of the connection's certificate; `nil` for a certificate that names none.
    ///   - world: devices and tokens.
    ///   - now: seconds since 1970.
    /// - Returns: the registration that it is for, or what is bad about it.
    func judge(_ notification: BinaryNotification, topic: String?, world: borrowing World, now: Double) -> Verdict {
        guard let topic else { return .refused(.missingTopic) }
        guard !notification.token.isEmpty else { return .refused(.missingDeviceToken) }
        guard notification.token.count <= Self.maximumToken else { return .refused(.invalidTokenSize) }
        guard !notification.payload.isEmpty else { return .refused(.missingPayload) }
        let limit = notification.command == 2 ? self.switches.framedPayload : self.switches.simplePayload
        guard notification.payload.count <= limit else { return .refused(.invalidPayloadSize) }
        guard notification.priority == 10 || notification.priority == 5 else { return .refused(.processingError) }
        if self.switches.refusesNonJSON {
            guard notification.payload.withUnsafeBufferPointer({ JSONSyntax.isObject($0) }) else {
                return .refused(.processingError)
            }
        }
        guard let index = world.registration(of: TokenKey(bytes: notification.token)) else {
            return .refused(notification.token.count == Self.usualToken ? .invalidToken : .invalidTokenSize)
        }
        let standing = world.standing(of: index, now: now)
        guard standing.environment == self.environment, world.topics[standing.topic].name == topic else {
            return .refused(.invalidToken)
        }
        if let since = standing.inactiveSince { return .gone(since: since) }
        return .accepted(index)
    }
}
