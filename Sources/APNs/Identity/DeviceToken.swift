// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// The address of one app on one device, as APNs hands it out.
///
/// Opaque and of variable length: 32 bytes today for an app, 80 bytes seen for Live Activities, at most 100.
/// Nothing may depend on a size. A token belongs to one environment; the token itself does not say which.
/// See <https://developer.apple.com/documentation/usernotifications/registering-your-app-with-apns>.
public struct DeviceToken: Hashable, Sendable {
    /// How many bytes a token may have.
    public static let sizes = 1...100

    /// The token's bytes; their count lies in ``sizes``.
    public let bytes: [UInt8]

    /// A token of these bytes.
    /// - Throws: ``ValidationFailure`` for `token` unless there are 1...100 bytes.
    public init(bytes: [UInt8]) throws(ValidationFailure) {
        guard Self.sizes.contains(bytes.count) else {
            throw ValidationFailure(field: "token", rule: "1...100 bytes", value: "\(bytes.count) bytes")
        }
        self.bytes = bytes
    }

    /// The token as text: two lower-case hexadecimal digits a byte, as in the path of a request.
    public var hex: String {
        String(unsafeUninitializedCapacity: self.hexCount) { output in
            if let start = output.baseAddress { self.writeHex(into: start) }
            return self.hexCount
        }
    }

    /// How many digits ``hex`` has: 2...200.
    public var hexCount: Int { 2 * self.bytes.count }

    /// Writes ``hex`` as ASCII to memory that has room for ``hexCount`` bytes.
    ///
    /// Allocates nothing.
    public func writeHex(into output: UnsafeMutablePointer<UInt8>) {
        self.bytes.withUnsafeBufferPointer { Hex.write($0, into: output) }
    }
}
