// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// An app, named by its bundle identifier, such as `com.example.app`.
public struct AppID: TextIdentifier {
    /// See ``TextIdentifier/field``.
    public static let field = "app"

    /// See ``TextIdentifier/rule``.
    public static let rule = "a bundle identifier: 1 to 155 letters, digits, hyphens and dots"

    /// The bundle identifier itself.
    public let rawValue: String

    /// Wraps a bundle identifier that is known to be valid.
    public init(unchecked text: String) {
        self.rawValue = text
    }

    /// Whether a text obeys the ``rule``.
    ///
    /// The alphabet is Apple's for `CFBundleIdentifier`; the length is that of an uniform type identifier.
    public static func isValid(_ text: String) -> Bool {
        (1...155).contains(text.utf8.count)
            && text.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
                case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."): true
                default: false
                }
            }
    }
}
