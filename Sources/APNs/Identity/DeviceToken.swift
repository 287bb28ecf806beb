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
    /// - Throws: ``InvalidValueError`` for `token` unless there are 1...100 bytes.
    public init(bytes: [UInt8]) throws(InvalidValueError) {
        guard Self.sizes.contains(bytes.count) else {
            throw InvalidValueError(field: "token", rule: "1...100 bytes", value: "\(bytes.count) bytes")
        }
        self.bytes = bytes
    }

    /// The token as text: two lower-case hexadecimal digits a byte, as in the path of a request.
    public var hex: String { Hex.text(self.bytes) }

    /// How many digits ``hex`` has: 2...200.
    public var hexCount: Int { 2 * self.bytes.count }

    /// Writes ``hex`` as ASCII to memory that has room for ``hexCount`` bytes.
    ///
    /// Allocates nothing.
    public func writeHex(into output: UnsafeMutablePointer<UInt8>) {
        self.bytes.withUnsafeBufferPointer { Hex.write($0, into: output) }
    }
}

extension DeviceToken {
    /// A token from hexadecimal digits, in upper or lower case.
    /// - Throws: ``InvalidValueError`` for `token` unless these are 2...200 digits of an even count.
    public init(hex: some StringProtocol) throws(InvalidValueError) {
        var text = String(hex)
        try self.init(bytes: text.withUTF8 { Self.decode($0) }.get())
    }

    /// A token from hexadecimal digits in memory, in upper or lower case: the form for hot paths.
    /// - Throws: ``InvalidValueError`` for `token` unless these are 2...200 digits of an even count.
    public init(hexUTF8: UnsafeBufferPointer<UInt8>) throws(InvalidValueError) {
        try self.init(bytes: Self.decode(hexUTF8).get())
    }

    /// Decodes hexadecimal digits to memory with a capacity of 100 bytes.
    ///
    /// Allocates nothing. If it returns `nil`, ``init(hexUTF8:)`` describes the error.
    /// - Returns: the number of bytes of the token; `nil` if the digits are invalid.
    public static func decode(
        _ hexUTF8: UnsafeBufferPointer<UInt8>,
        into output: UnsafeMutableBufferPointer<UInt8>
    ) -> Int? {
        let count = hexUTF8.count / 2
        guard hexUTF8.count.isMultiple(of: 2), Self.sizes.contains(count) else { return nil }
        return Hex.decode(hexUTF8, into: output) ? count : nil
    }

    private static func decode(_ text: UnsafeBufferPointer<UInt8>) -> Result<[UInt8], InvalidValueError> {
        guard text.count.isMultiple(of: 2), Self.sizes.contains(text.count / 2) else {
            return .failure(Self.failure(value: "\(text.count) characters"))
        }
        guard let bytes = Hex.decode(text) else {
            let offset = text.firstIndex { Hex.nibble($0) == Hex.invalid } ?? 0
            return .failure(Self.failure(value: "a character at offset \(offset) that is not a digit"))
        }
        return .success(bytes)
    }

    private static func failure(value: String) -> InvalidValueError {
        InvalidValueError(field: "token", rule: "2...200 hexadecimal digits, two for each byte", value: value)
    }
}

extension DeviceToken: Codable {
    /// Reads a token from its hexadecimal form.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        do {
            try self.init(hex: container.decode(String.self))
        } catch let failure as InvalidValueError {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: failure.message)
        }
    }

    /// Writes the hexadecimal form.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(self.hex)
    }
}

extension DeviceToken: CustomStringConvertible, CustomDebugStringConvertible {
    /// The token made safe for logs: its first four digits and its size, `740f…(32 bytes)`.
    ///
    /// A token of fewer than 8 bytes shows its size alone.
    public var description: String {
        let start = self.bytes.count < 8 ? "" : String(self.hex.prefix(4))
        return "\(start)…(\(self.bytes.count) bytes)"
    }

    /// The same as ``description``.
    public var debugDescription: String { self.description }
}
