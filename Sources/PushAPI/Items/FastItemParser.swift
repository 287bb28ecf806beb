// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import Foundation
import PushModel

/// The positions of the parts of one notification in a text: the fast path for valid notifications.
///
/// It creates no strings for parts that are used byte for byte. For anything unusual (an unknown member, an escape,
/// `null`, an error), ``ItemParser`` parses the text again, which is slower and reports the errors.
struct FastItemParser {
    /// The content of the string with the caller's name, including escapes; `nil` without a name.
    private(set) var name: Range<Int>?

    /// The digits of the device token.
    private(set) var token = 0..<0

    /// The environment; `nil` for the app's default one.
    private(set) var environment: APNsEnvironment?

    /// The payload, which is a JSON object.
    private(set) var payload = 0..<0

    private(set) var headers = ItemHeaders()
    private var seen: UInt8 = 0

    private enum Member: UInt8 {
        case id, token, environment, payload, pushType, priority, expiration, collapseID
    }

    private struct Unusual: Error {}

    private init() {}

    /// Scans the next object, or returns `nil`; then the position of the cursor is undefined.
    static func read(_ cursor: inout JSONCursor) -> FastItemParser? {
        var scan = FastItemParser()
        do {
            try scan.readObject(&cursor)
        } catch {
            return nil
        }
        guard !scan.token.isEmpty, !scan.payload.isEmpty else { return nil }
        return scan
    }

    private mutating func readObject(_ cursor: inout JSONCursor) throws {
        guard cursor.take("{") else { throw Unusual() }
        try cursor.enter()
        repeat {
            guard cursor.peek() == UInt8(ascii: "\"") else { throw Unusual() }
            let name = try cursor.passString()
            guard let member = Self.member(cursor, name.content) else { throw Unusual() }
            let bit: UInt8 = 1 << member.rawValue
            guard self.seen & bit == 0 else { throw Unusual() }
            self.seen |= bit
            try cursor.expect(":", "after a member's name")
            try self.readValue(of: member, &cursor)
        } while cursor.take(",")
        guard cursor.take("}") else { throw Unusual() }
        cursor.leave()
    }

    private mutating func readValue(of member: Member, _ cursor: inout JSONCursor) throws {
        switch member {
        case .id:
            self.name = try Self.string(&cursor, mayHaveEscapes: true)
            guard ItemParser.nameSizes.contains(self.name?.count ?? 0) else { throw Unusual() }
        case .token: self.token = try Self.string(&cursor)
        case .environment: self.environment = try Self.environment(&cursor)
        case .payload:
            guard try cursor.kind() == .object else { throw Unusual() }
            self.payload = try cursor.skipValue()
        case .pushType:
            let pushType = PushType(rawValue: try Self.text(&cursor))
            self.headers.pushType = pushType == .alert ? nil : pushType
        case .priority: self.headers.priority = try Int(Self.integer(&cursor))
        case .expiration: self.headers.expiration = try Self.integer(&cursor)
        case .collapseID: self.headers.collapseID = try Self.text(&cursor)
        }
    }

    private static func member(_ cursor: JSONCursor, _ name: Range<Int>) -> Member? {
        switch name.count {
        case 2: cursor.stands("id", at: name) ? .id : nil
        case 5: cursor.stands("token", at: name) ? .token : nil
        case 7: cursor.stands("payload", at: name) ? .payload : nil
        case 8: cursor.stands("pushType", at: name) ? .pushType : cursor.stands("priority", at: name) ? .priority : nil
        case 10:
            cursor.stands("expiration", at: name)
                ? .expiration : cursor.stands("collapseID", at: name) ? .collapseID : nil
        case 11: cursor.stands("environment", at: name) ? .environment : nil
        default: nil
        }
    }

    private static func string(_ cursor: inout JSONCursor, mayHaveEscapes: Bool = false) throws -> Range<Int> {
        guard cursor.peek() == UInt8(ascii: "\"") else { throw Unusual() }
        let string = try cursor.passString()
        guard mayHaveEscapes || !string.hasEscapes else { throw Unusual() }
        return string.content
    }

    /// Reads a header of at most 64 bytes; a longer one must not be compared, see `String.isStreamSafe`.
    private static func text(_ cursor: inout JSONCursor) throws -> String {
        let content = try self.string(&cursor)
        guard content.count <= 64 else { throw Unusual() }
        return String(decoding: cursor.bytes[content], as: UTF8.self)
    }

    private static func environment(_ cursor: inout JSONCursor) throws -> APNsEnvironment {
        let content = try self.string(&cursor)
        if cursor.stands("production", at: content) { return .production }
        guard cursor.stands("sandbox", at: content) else { throw Unusual() }
        return .sandbox
    }

    private static func integer(_ cursor: inout JSONCursor) throws -> Int64 {
        guard try cursor.kind() == .number else { throw Unusual() }
        let range = try cursor.passNumber()
        guard range.count <= 15 else { throw Unusual() }
        var number: Int64 = 0
        for digit in cursor.bytes[range] {
            guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(digit) else { throw Unusual() }
            number = number * 10 + Int64(digit - UInt8(ascii: "0"))
        }
        return number
    }
}

extension JSONCursor {
    /// Whether the text at a position is equal to `text`.
    fileprivate func stands(_ text: StaticString, at range: Range<Int>) -> Bool {
        guard range.count == text.utf8CodeUnitCount else { return false }
        for place in 0..<range.count where self.bytes[range.lowerBound + place] != text.utf8Start[place] {
            return false
        }
        return true
    }
}

/// One notification to one token while it is read: a line of a stream, or an item of a batch.
struct ItemParser {
    static let members = ["id", "token", "environment"] + ContentParser.members

    /// How many bytes the caller's name for it may have.
    static let nameSizes = 1...StreamLineList.maximumNameBytes

    private(set) var name: ArraySlice<UInt8>?
    private var token: DeviceToken?
    private var environment: APNsEnvironment?
    private var content = ContentParser()

    struct Item {
        var name: ArraySlice<UInt8>?
        var token: DeviceToken
        var environment: APNsEnvironment?
        var headers: NotificationHeaders
        var payload: APNsPayload
    }

    mutating func read(
        _ member: String,
        _ reader: inout JSONReader,
        _ path: FieldPath
    ) throws(JSONSyntaxError) {
        switch member {
        case "id": self.name = try reader.rawString(path, bytes: Self.nameSizes)
        case "token": self.token = try reader.deviceToken(path)
        case "environment": self.environment = try reader.oneOf(APNsEnvironment.self, path)
        default: try self.content.read(member, &reader, path)
        }
    }

    /// Records missing members, errors about combinations, and values that APNs would reject.
    func finish(_ reader: inout JSONReader, app: AppID, at path: FieldPath = .root) -> Item? {
        let token = reader.require(self.token, "token", at: path)
        guard let content = self.content.finish(&reader, app: app, at: path), let token else { return nil }
        return Item(
            name: self.name,
            token: token,
            environment: self.environment,
            headers: content.headers,
            payload: content.payload
        )
    }
}
