// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Crypto
public import Foundation

/// A secret that only one installation of an app has, as its SHA-256.
///
/// The installation draws 32 random bytes, keeps them, and presents them with each request. So a client key, which is in
/// every copy of the app, cannot change the device of another installation. 256 random bits need no slow hash.
public struct InstallationSecret: Hashable, Sendable {
    /// The written form of a secret.
    public static let rule = "base64url of exactly 32 bytes: 43 letters, digits, '-' and '_'"

    /// The stored form: 32 bytes.
    public let hash: [UInt8]

    /// Reads the written form; `nil` for any other text.
    public init?(_ text: String) {
        guard let bytes = Self.decode(text.utf8) else { return nil }
        self.hash = Array(SHA256.hash(data: bytes))
    }

    /// Whether a stored ``hash`` is that of this secret, in the same time regardless of where they differ.
    public func matches(_ stored: [UInt8]) -> Bool {
        stored.count == self.hash.count && zip(stored, self.hash).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0
    }

    /// The 32 bytes of a text; `nil` unless it is their only written form.
    private static func decode(_ text: String.UTF8View) -> [UInt8]? {
        guard text.count == 43 else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(32)
        var (bits, count): (UInt32, UInt32) = (0, 0)
        for character in text {
            guard let value = Self.value(of: character) else { return nil }
            bits = (bits << 6 | value) & 0xFFFF
            count += 6
            guard count >= 8 else { continue }
            count -= 8
            bytes.append(UInt8(truncatingIfNeeded: bits >> count))
        }
        // The last character has two bits beyond the last byte.
        return bits & 0b11 == 0 ? bytes : nil
    }

    private static func value(of character: UInt8) -> UInt32? {
        switch character {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): UInt32(character - UInt8(ascii: "A"))
        case UInt8(ascii: "a")...UInt8(ascii: "z"): UInt32(character - UInt8(ascii: "a")) + 26
        case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(character - UInt8(ascii: "0")) + 52
        case UInt8(ascii: "-"): 62
        case UInt8(ascii: "_"): 63
        default: nil
        }
    }
}

extension InstallationSecret: CustomStringConvertible {
    /// A constant, so that no log has the hash.
    public var description: String { "installation secret (redacted)" }
}

/// Which secrets an app expects of its installations; see ``DeviceAccess``.
public struct InstallationSecretPolicy: Hashable, Sendable, Codable {
    /// Whether a request with a client key needs a secret.
    public enum Mode: String, Hashable, Sendable, Codable, CaseIterable {
        /// A device without a secret can be changed without one, and is bound by the first one that is presented.
        case optional

        /// Each request needs a secret, and a device without one is bound until the date only.
        case required
    }

    public var mode: Mode

    /// The time until which the first secret binds a device that has none, although the mode is `required`.
    public var bindsUntil: Date?

    public init(mode: Mode = .optional, bindsUntil: Date? = nil) {
        self.mode = mode
        self.bindsUntil = bindsUntil
    }
}

/// The right of a caller to change a device, and what depends on it.
public enum DeviceAccess: Hashable, Sendable {
    /// A backend, which may change every device of the app; its secret, if any, replaces the stored one.
    case backend(secret: InstallationSecret? = nil)

    /// A copy of the app, which may change only the device whose secret it presents.
    case installation(InstallationSecret?, InstallationSecretPolicy)
}

extension DeviceAccess {
    /// The stored form of a secret that a backend has reset: the next one that is presented binds the device.
    public static let reset: [UInt8] = []

    /// Checks the right to change a device.
    ///
    /// - Parameters:
    ///   - stored: the stored secret of the device; `nil` if it has none.
    ///   - isNew: whether there is no such device.
    /// - Returns: the secret to store, which may be the same.
    public func secret(replacing stored: [UInt8]?, isNew: Bool, now: Date) throws(DeviceAccessError) -> [UInt8]? {
        switch self {
        case .backend(let secret): return secret?.hash ?? stored
        case .installation(let secret, let policy):
            if let stored, stored != Self.reset {
                guard let secret else { throw .secretRequired }
                guard secret.matches(stored) else { throw .secretMismatch }
                return stored
            }
            guard let secret else {
                if policy.mode == .required { throw .secretRequired }
                return stored
            }
            let isBound = isNew || stored != nil || policy.mode == .optional || policy.bindsUntil.map { now < $0 } ?? false
            guard isBound else { throw .notBound }
            return secret.hash
        }
    }

    /// Refuses a caller that needs a secret and presents none, before anything is read.
    public func check() throws(DeviceAccessError) {
        if case .installation(nil, let policy) = self, policy.mode == .required { throw .secretRequired }
    }

    /// Whether the caller is a copy of the app.
    public var isInstallation: Bool { if case .installation = self { true } else { false } }
}

/// Why a copy of the app may not make a change.
public enum DeviceAccessError: Error, Hashable, Sendable, CaseIterable {
    /// The device has a secret, or the app requires one, and the request presents none.
    case secretRequired

    /// The device has another secret.
    case secretMismatch

    /// The device was registered without a secret, and the time to bind it is over.
    case notBound

    /// There is no device of that ID.
    case unknownDevice

    /// The activity belongs to the backend or to another installation, which have not named this one.
    case notParticipant

    /// The installation has the maximum number of running activities or push-to-start tokens.
    case limit
}
