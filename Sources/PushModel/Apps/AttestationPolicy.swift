// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Crypto
public import Foundation

/// Whether a client key registers a new device only with an attestation of App Attest.
public struct AttestationPolicy: Hashable, Sendable, Codable {
    public enum Mode: String, Hashable, Sendable, Codable, CaseIterable {
        /// Attestations are ignored.
        case off

        /// Attestations are verified and counted. A registration without a valid one succeeds too.
        case report

        /// A new device needs a valid attestation.
        case required
    }

    public var mode = Mode.off

    /// The app ID prefix; `nil` is the team of the app's APNs key.
    public var teamID: String?

    public init() {}

    /// Whether a text can be an app ID prefix: 10 capital letters and digits.
    public static func isTeamID(_ text: String) -> Bool {
        text.utf8.count == 10 && text.utf8.allSatisfy { (65...90).contains($0) || (48...57).contains($0) }
    }
}

/// A challenge that a key of App Attest signs, for one device of one app and a limited time.
///
/// The text has its end, 16 random bytes and a code of the master key. So every server with that key recognizes it, and
/// the store has no challenges. It can be used again until its end, but only for the same device.
public struct AttestationChallenge: Hashable, Sendable {
    public static let lifetime: TimeInterval = 300

    private static let purpose = "apus attestation challenge"

    public let text: String
    public let expiresAt: Date

    /// Draws a challenge; `nil` if it cannot be signed.
    public init?(app: AppID, device: DeviceID, masterKey: MasterKey, now: Date) {
        guard let key = masterKey.derivedKeys(for: Self.purpose).first else { return nil }
        let expiry = (now + Self.lifetime).millisecondsSince1970
        let random = SymmetricKey(size: .bits128).withUnsafeBytes { Hex.text(Array($0)) }
        let content = "\(expiry).\(random)"
        let signed = Self.signed(content, app: app, device: device)
        let code = HMAC<SHA256>.authenticationCode(for: signed, using: SymmetricKey(data: key))
        self.text = "\(content).\(Hex.text(code))"
        self.expiresAt = Date(millisecondsSince1970: expiry)
    }

    /// Whether a text is a challenge for this device that has not expired.
    public static func isValid(
        _ text: String,
        app: AppID,
        device: DeviceID,
        masterKey: MasterKey,
        now: Date
    ) -> Bool {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard text.utf8.count <= 256, parts.count == 3, let expiry = Int64(parts[0]),
            let code = Hex.bytes(parts[2].utf8),
            now.millisecondsSince1970 < expiry
        else { return false }
        let content = self.signed("\(parts[0]).\(parts[1])", app: app, device: device)
        return masterKey.derivedKeys(for: self.purpose).contains { key in
            HMAC<SHA256>.isValidAuthenticationCode(code, authenticating: content, using: SymmetricKey(data: key))
        }
    }

    /// A bundle ID has no line feed, so no two devices have the same bytes.
    private static func signed(_ content: String, app: AppID, device: DeviceID) -> Data {
        Data("\(content)\n\(app.rawValue)\n\(device.rawValue)".utf8)
    }
}
