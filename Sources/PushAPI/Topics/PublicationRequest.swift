// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import PushModel
import SNSProtocol

/// What is to be published to a topic.
struct PublicationRequest: Sendable {
    static let members = ["attributes", "lane"] + ContentDraft.members

    /// The most attributes of a message.
    static let maximumAttributes = 64

    var headers: NotificationHeaders
    var payload: APNsPayload
    var attributes: [String: MessageAttribute]
    var lane: Lane?

    /// Reads the body of a request; the payload is measured against Apple's limit here.
    init(_ body: [UInt8], app: AppID) throws(Problem) {
        var content = ContentDraft()
        var attributes: [String: MessageAttribute] = [:]
        var lane: Lane?
        self = try JSONReader.read(body, members: Self.members) { reader, member, path throws(JSONSyntaxError) in
            switch member {
            case "attributes": attributes = try Self.attributes(&reader, path)
            case "lane": lane = try reader.oneOf(Lane.self, path)
            default: try content.read(member, &reader, path)
            }
        } finish: { reader in
            content.finish(&reader, app: app).map { content in
                PublicationRequest(
                    headers: content.headers,
                    payload: content.payload,
                    attributes: attributes,
                    lane: lane
                )
            }
        }
    }

    private init(
        headers: NotificationHeaders,
        payload: APNsPayload,
        attributes: [String: MessageAttribute],
        lane: Lane?
    ) {
        self.headers = headers
        self.payload = payload
        self.attributes = attributes
        self.lane = lane
    }

    private static func attributes(
        _ reader: inout JSONReader,
        _ path: FieldPath
    ) throws(JSONSyntaxError) -> [String: MessageAttribute] {
        var attributes: [String: MessageAttribute] = [:]
        try reader.eachMember(path) { reader, name, path throws(JSONSyntaxError) in
            if !Self.isName(name) {
                let rule = "a name of 1 to 256 letters, digits, '-', '_' and '.'"
                reader.faults.add(path, expected: rule, got: "\(name.utf8.count) bytes of another form")
            }
            attributes[name] = try Self.attribute(&reader, path)
        }
        if attributes.count > Self.maximumAttributes {
            let rule = "at most \(Self.maximumAttributes) attributes"
            reader.faults.add(path, expected: rule, got: "\(attributes.count)")
        }
        return attributes
    }

    /// A text, a number, or an array of both and of booleans, as filter policies see them.
    private static func attribute(
        _ reader: inout JSONReader,
        _ path: FieldPath
    ) throws(JSONSyntaxError) -> MessageAttribute? {
        let bytes = try reader.withCursor { cursor throws(JSONSyntaxError) in
            _ = try cursor.kind()
            let range = try cursor.skipValue()
            return Array(cursor.bytes[range])
        }
        let text = String(decoding: bytes, as: UTF8.self)
        switch try? JSONValue(json: bytes) {
        case .string(let value)?: return MessageAttribute(dataType: "String", value: .text(value))
        case .integer?, .double?: return MessageAttribute(dataType: "Number", value: .text(text))
        case .array(let elements)? where elements.allSatisfy(\.isScalar):
            return MessageAttribute(dataType: "String.Array", value: .text(text))
        default:
            reader.faults.add(path, expected: "a string, a number, or an array of them", got: "another value")
            return nil
        }
    }

    private static func isName(_ name: String) -> Bool {
        (1...256).contains(name.utf8.count)
            && name.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."):
                    true
                default: false
                }
            }
    }
}

extension JSONValue {
    fileprivate var isScalar: Bool {
        switch self {
        case .null, .bool, .integer, .double, .string: true
        case .array, .object: false
        }
    }
}
