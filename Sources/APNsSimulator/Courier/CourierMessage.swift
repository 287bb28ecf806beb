// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import NIOCore

/// A message of a device on its courier connection.
enum CourierRequest: Sendable, Equatable {
    /// The most topics in a filter.
    static let maximumTopics = 256

    /// A keep-alive.
    case ping
    /// The device wants its token for a topic, and may present the one that it has.
    case token(topic: String, presented: DeviceToken?)
    /// The device enables these topics, and no others.
    case filter(topics: [String])
    /// The device has received a push.
    case confirm(APNsID)

    /// Parses a JSON object.
    ///
    /// - Throws: ``CourierProblem`` for a message that is none.
    init(_ frame: [UInt8]) throws(CourierProblem) {
        do {
            var object = try JSONRequestBody(frame)
            switch try object.require("type", try object.choice("type", Kind.self)) {
            case .ping: self = .ping
            case .token: self = .token(topic: try Self.topic(&object), presented: try Self.token(&object))
            case .filter: self = .filter(topics: try Self.topics(&object))
            case .confirm: self = .confirm(try Self.apnsID(&object))
            }
            try object.finish()
        } catch {
            throw CourierProblem(code: error.code.rawValue, detail: error.detail)
        }
    }

    private enum Kind: String, CaseIterable {
        case ping, token, filter, confirm
    }

    private static func topic(_ object: inout JSONRequestBody) throws(ControlProblem) -> String {
        let topic = try object.require("topic", try object.string("topic"))
        try ControlAPI.check(topic, field: "topic")
        return topic
    }

    private static func token(_ object: inout JSONRequestBody) throws(ControlProblem) -> DeviceToken? {
        guard let hex = try object.string("token") else { return nil }
        do {
            return try DeviceToken(hex: hex)
        } catch {
            throw ControlProblem(error, field: "token")
        }
    }

    private static func topics(_ object: inout JSONRequestBody) throws(ControlProblem) -> [String] {
        let topics = try object.require("topics", try object.strings("topics"))
        guard topics.count <= Self.maximumTopics else {
            throw object.invalid("topics", rule: "at most \(Self.maximumTopics)", value: "\(topics.count)")
        }
        for (index, topic) in topics.enumerated() { try ControlAPI.check(topic, field: "topics[\(index)]") }
        return topics
    }

    private static func apnsID(_ object: inout JSONRequestBody) throws(ControlProblem) -> APNsID {
        let text = try object.require("apnsID", try object.string("apnsID"))
        guard let id = APNsID(canonical: text) else {
            throw object.invalid("apnsID", rule: "a UUID in canonical form", value: String(text.prefix(40)))
        }
        return id
    }
}

/// A message to a device on its courier connection.
enum CourierReply: Sendable {
    /// The certificate is accepted.
    case welcome(device: VirtualDeviceID, environment: APNsEnvironment, interval: Double, timeout: Double?)
    case pong
    case token(topic: String, token: String)
    case filter(topics: [String])
    /// A push, to be confirmed.
    case push(topic: String, token: String, ReceivedNotification)
    /// The message of the device is refused; the connection stays.
    case error(CourierProblem)
    /// The connection ends.
    case closing(CourierEnd)

    /// The message in its frame: the length of the JSON object in four bytes, most significant first, and the object.
    var frame: [UInt8] {
        let json = JSONOutput.object(self.members).bytes
        // A push has at most some kilobytes, a filter those of the request.
        let length = UInt32(clamping: json.count)
        return withUnsafeBytes(of: length.bigEndian) { Array($0) } + json
    }

    private var members: [(String, JSONOutput)] {
        switch self {
        case .welcome(let device, let environment, let interval, let timeout):
            [
                ("type", .string("welcome")), ("device", .string(device.rawValue)),
                ("environment", .string(environment.rawValue)), ("keepAliveInterval", .decimal(interval)),
                ("keepAliveTimeout", timeout.map { .decimal($0) } ?? .null),
            ]
        case .pong: [("type", .string("pong"))]
        case .token(let topic, let token):
            [("type", .string("token")), ("topic", .string(topic)), ("token", .string(token))]
        case .filter(let topics): [("type", .string("filter")), ("topics", .array(topics.map { .string($0) }))]
        case .push(let topic, let token, let notification):
            [("type", .string("push")), ("topic", .string(topic)), ("token", .string(token))] + notification.members
        case .error(let problem):
            [("type", .string("error")), ("code", .string(problem.code)), ("detail", .string(problem.detail))]
        case .closing(let end):
            [("type", .string("closing")), ("reason", .string(end.rawValue)), ("detail", .string(end.detail))]
        }
    }
}

/// Why a message of a device is refused.
struct CourierProblem: Error, Equatable {
    /// A stable word; for a message that cannot be read, that of the control API.
    var code: String
    var detail: String

    static let foreignToken = CourierProblem(
        code: "foreign-token",
        detail: "the token was not issued to this device; ask for a token without presenting one"
    )
    static let notInFlight = CourierProblem(
        code: "not-in-flight",
        detail: "no push with this apnsID waits for its confirmation on this connection"
    )
    static let tooManyTopics = CourierProblem(
        code: "too-many-topics",
        detail: "the device has tokens for \(CourierRequest.maximumTopics) topics, which is the maximum"
    )
}

/// Why a courier connection ends.
enum CourierEnd: String, Error, Sendable, CaseIterable {
    case unknownDevice, revoked, duplicate, replaced, offline, keepAliveTimeout, confirmationTimeout, protocolError
    case reset, shutdown

    var detail: String {
        switch self {
        case .unknownDevice: "the certificate names no device of this simulator; activate the device again"
        case .revoked: "the certificate was revoked, or replaced by a later activation; activate the device again"
        case .duplicate: "the device has a connection"
        case .replaced: "the device has opened another connection"
        case .offline: "the control API has disconnected the device"
        case .keepAliveTimeout: "no message came in time; send a ping before keepAliveInterval has passed"
        case .confirmationTimeout: "a push was not confirmed in time"
        case .protocolError: "a frame has 1 to \(CourierFrames.maximumLength) bytes after its length"
        case .reset: "the state of the simulator was replaced"
        case .shutdown: "the simulator stops"
        }
    }
}

/// A message of the world to a courier connection.
struct CourierOutput: Sendable {
    /// The number of the connection.
    var session: UInt64
    var reply: CourierReply
}

/// Reads frames off a stream of bytes.
struct CourierFrames {
    /// The longest frame of a device, without its length.
    ///
    /// Unit: bytes.
    static let maximumLength = 64 * 1024

    private var buffer = ByteBuffer()

    mutating func append(_ bytes: inout ByteBuffer) {
        self.buffer.writeBuffer(&bytes)
        self.buffer.discardReadBytes()
    }

    /// The content of the next frame; `nil` while it is incomplete.
    ///
    /// - Throws: ``CourierEnd`` `protocolError` for an empty or too long frame; what follows cannot be read.
    mutating func next() throws(CourierEnd) -> [UInt8]? {
        var rest = self.buffer
        guard let length = rest.readInteger(as: UInt32.self) else { return nil }
        guard length >= 1, length <= UInt32(Self.maximumLength) else { throw .protocolError }
        guard let bytes = rest.readBytes(length: Int(length)) else { return nil }
        self.buffer = rest
        return bytes
    }
}
