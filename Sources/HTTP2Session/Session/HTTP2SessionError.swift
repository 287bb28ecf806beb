// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

/// Why a connection could not be opened or had to end.
public struct HTTP2SessionError: Error, Sendable, CustomStringConvertible {
    /// The code of the failure, for callers.
    public enum Code: String, Sendable, Hashable {
        /// The peer broke a rule of HTTP/2, or does not speak it.
        case protocolViolation
        /// The peer sent more control frames than an honest peer sends.
        case flood
        /// A header list was larger than the limit that was announced.
        case headerListTooLarge
        /// The TLS handshake ended without agreeing on `h2`.
        case notHTTP2
        /// The transport failed or was closed by the peer.
        case connectionLost
        /// The call is not possible in the session's state.
        case invalidState
    }

    public var code: Code
    /// The failure with its values.
    public var message: String
    /// The lower-level error, kept whole.
    public var cause: (any Error)?

    public init(code: Code, message: String, cause: (any Error)? = nil) {
        self.code = code
        self.message = message
        self.cause = cause
    }

    /// The message, followed by the cause where there is one.
    public var description: String {
        if let cause = self.cause { "\(self.message) (\(cause))" } else { self.message }
    }
}

/// An error code of RST_STREAM and GOAWAY (RFC 9113 section 7).
///
/// Unknown codes survive.
public struct HTTP2ErrorCode: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    /// The code in the frame.
    public let rawValue: UInt32

    public init(rawValue: UInt32) {
        self.rawValue = rawValue
    }

    /// The peer ended without an error.
    public static let noError = Self(rawValue: 0x0)
    /// An unspecific protocol error.
    public static let protocolError = Self(rawValue: 0x1)
    /// An internal error of the peer.
    public static let internalError = Self(rawValue: 0x2)
    /// Flow control was violated.
    public static let flowControlError = Self(rawValue: 0x3)
    /// SETTINGS were not acknowledged in time.
    public static let settingsTimeout = Self(rawValue: 0x4)
    /// A frame came for a stream that was half closed.
    public static let streamClosed = Self(rawValue: 0x5)
    /// A frame had a wrong size.
    public static let frameSizeError = Self(rawValue: 0x6)
    /// The stream was refused before anything was done with it: it may be sent again.
    public static let refusedStream = Self(rawValue: 0x7)
    /// The stream is no longer wanted.
    public static let cancel = Self(rawValue: 0x8)
    /// The state of header compression was lost.
    public static let compressionError = Self(rawValue: 0x9)
    /// The peer behaves in a way that could create excessive load.
    public static let enhanceYourCalm = Self(rawValue: 0xb)

    private static let names = [
        "NO_ERROR", "PROTOCOL_ERROR", "INTERNAL_ERROR", "FLOW_CONTROL_ERROR", "SETTINGS_TIMEOUT", "STREAM_CLOSED",
        "FRAME_SIZE_ERROR", "REFUSED_STREAM", "CANCEL", "COMPRESSION_ERROR", "CONNECT_ERROR", "ENHANCE_YOUR_CALM",
        "INADEQUATE_SECURITY", "HTTP_1_1_REQUIRED",
    ]

    /// The name that RFC 9113 gives the code, or its number in hexadecimal.
    public var description: String {
        guard self.rawValue < UInt32(Self.names.count) else { return "0x" + String(self.rawValue, radix: 16) }
        return Self.names[Int(self.rawValue)]
    }
}
