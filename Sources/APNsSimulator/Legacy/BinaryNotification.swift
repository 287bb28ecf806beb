// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import NIOCore

/// A notification of the binary protocol.
struct BinaryNotification: Sendable, Equatable {
    /// How it was written: 0, 1 or 2.
    var command: UInt8
    /// The sender's identifier; 0 for command 0.
    var identifier: UInt32 = 0
    /// Until when it is worth delivering, in seconds since 1970; `nil` where the command has none.
    var expiry: UInt32?
    var token: [UInt8] = []
    var payload: [UInt8] = []
    var priority: UInt8 = 10

    /// Whether an error is reported: command 0 has no identifier for an error packet.
    var hasErrorPackets: Bool { self.command != 0 }
}

/// Reads notifications of the binary protocol off a stream of bytes.
///
/// Big-endian throughout:
///
/// - command 0: `00 | token length u16 | token | payload length u16 | payload`
/// - command 1: `01 | identifier u32 | expiry u32 | token length u16 | token | payload length u16 | payload`
/// - command 2: `02 | frame length u32 | items`, an item being `number u8 | length u16 | data`
struct BinaryNotificationParser {
    /// The next item of the input.
    enum Result: Equatable {
        case notification(BinaryNotification)
        /// Invalid bytes; the input after them cannot be parsed.
        case failure(LegacyStatus, identifier: UInt32)
        case needsMore
    }

    /// The longest frame of command 2: more is a violation, since its items cannot be longer.
    static let maximumFrame = 5 * (3 + 65_535)

    private var buffer = ByteBuffer()

    mutating func append(_ bytes: inout ByteBuffer) {
        self.buffer.writeBuffer(&bytes)
        self.buffer.discardReadBytes()
    }

    mutating func next() -> Result {
        var rest = self.buffer
        guard let command = rest.readInteger(as: UInt8.self) else { return .needsMore }
        let result: Result
        switch command {
        case 0, 1: result = Self.simple(command, &rest)
        case 2: result = Self.framed(&rest)
        default: result = .failure(.protocolError, identifier: 0)
        }
        if result != .needsMore { self.buffer = rest }
        return result
    }

    private static func simple(_ command: UInt8, _ rest: inout ByteBuffer) -> Result {
        var notification = BinaryNotification(command: command)
        if command == 1 {
            guard let identifier = rest.readInteger(as: UInt32.self), let expiry = rest.readInteger(as: UInt32.self)
            else { return .needsMore }
            notification.identifier = identifier
            notification.expiry = expiry
        }
        guard let token = Self.string(&rest), let payload = Self.string(&rest) else { return .needsMore }
        notification.token = token
        notification.payload = payload
        return .notification(notification)
    }

    /// Bytes with a length prefix.
    private static func string(_ rest: inout ByteBuffer) -> [UInt8]? {
        guard let length = rest.readInteger(as: UInt16.self) else { return nil }
        return rest.readBytes(length: Int(length))
    }

    private static func framed(_ rest: inout ByteBuffer) -> Result {
        guard let length = rest.readInteger(as: UInt32.self) else { return .needsMore }
        guard length <= Self.maximumFrame else { return .failure(.protocolError, identifier: 0) }
        guard var frame = rest.readSlice(length: Int(length)) else { return .needsMore }
        var notification = BinaryNotification(command: 2)
        var isBroken = false
        while frame.readableBytes > 0 {
            guard let number = frame.readInteger(as: UInt8.self), let data = Self.string(&frame) else {
                isBroken = true
                break
            }
            isBroken = !Self.take(number, data, into: &notification) || isBroken
        }
        return isBroken
            ? .failure(.protocolError, identifier: notification.identifier) : .notification(notification)
    }

    /// Adds an item; returns whether it has a valid length.
    ///
    /// Items with other numbers are ignored.
    private static func take(_ number: UInt8, _ data: [UInt8], into notification: inout BinaryNotification) -> Bool {
        func integer() -> UInt32 { data.reduce(0) { $0 << 8 | UInt32($1) } }
        switch number {
        case 1: notification.token = data
        case 2: notification.payload = data
        case 3:
            guard data.count == 4 else { return false }
            notification.identifier = integer()
        case 4:
            guard data.count == 4 else { return false }
            notification.expiry = integer()
        case 5:
            guard data.count == 1 else { return false }
            notification.priority = data[0]
        default: break
        }
        return true
    }
}

extension RequestHead {
    /// The provider API request that is equivalent to a notification of the binary protocol.
    convenience init(_ notification: BinaryNotification, topic: String) {
        var fields: [(RequestField, String)] = [(.topic, topic), (.priority, String(notification.priority))]
        if let expiry = notification.expiry { fields.append((.expiration, String(expiry))) }
        self.init(token: notification.token, fields, payload: notification.payload)
    }

    /// A request that did not come over HTTP/2.
    convenience init(token: [UInt8], _ fields: [(RequestField, String)], payload: [UInt8]) {
        self.init()
        for (field, text) in [(.method, "POST"), (.path, "/3/device/" + Hex.text(token))] + fields {
            var text = text
            text.withUTF8 { self.append(field, value: $0) }
        }
        payload.withUnsafeBytes { self.appendBody($0) }
    }
}

/// The status of an error packet of the binary protocol.
enum LegacyStatus: UInt8, Sendable, CaseIterable {
    case processingError = 1
    case missingDeviceToken = 2
    case missingTopic = 3
    case missingPayload = 4
    case invalidTokenSize = 5
    case invalidTopicSize = 6
    case invalidPayloadSize = 7
    case invalidToken = 8
    /// The identifier is that of the last notification that was taken.
    case shutdown = 10
    case protocolError = 128
    case unknown = 255

    /// The status that comes closest to a reason of the provider API.
    init(_ reason: RejectionReason) {
        switch reason {
        case .badDeviceToken, .deviceTokenNotForTopic, .unregistered, .expiredToken: self = .invalidToken
        case .missingDeviceToken: self = .missingDeviceToken
        case .missingTopic: self = .missingTopic
        case .payloadEmpty: self = .missingPayload
        case .payloadTooLarge: self = .invalidPayloadSize
        case .shutdown, .serviceUnavailable: self = .shutdown
        case .internalServerError: self = .processingError
        default: self = .unknown
        }
    }

    /// The packet: command 8, the status, the identifier.
    func packet(identifier: UInt32) -> [UInt8] {
        [8, self.rawValue] + [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: identifier >> $0) }
    }
}
