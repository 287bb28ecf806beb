// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import ArgumentParser
import CommandLineSupport
import Foundation

/// The content of a notification: an alert, or a complete payload.
struct ContentArguments: ParsableArguments {
    @Option(help: "Title of the alert.")
    var title: String?

    @Option(help: "Body of the alert.")
    var body: String?

    @Option(help: "Sound: default, or a file of the app.")
    var sound: String?

    @Option(help: "Badge: the number on the app's icon; 0 removes it.")
    var badge: Int?

    @Option(help: "File with the complete payload as JSON, sent byte for byte; - is standard input.")
    var payload: String?

    @Option(help: "Push type: alert, background, voip, liveactivity, ... Default: alert.")
    var pushType: String?

    @Option(help: "Priority: 10 immediately, 5 with regard to power, 1 without waking the device.")
    var priority: Int?

    @Option(help: "Unix time until which APNs stores it for an offline device; 0 tries once.")
    var expiration: Int64?

    @Option(help: "Collapse ID: notifications with the same ID replace one another on the device.")
    var collapseID: String?

    private struct Request: Encodable {
        struct Alert: Encodable {
            let title: String?
            let body: String?
            let sound: String?
            let badge: Int?
        }

        let targets: TargetArguments.Body?
        let notification: Alert?
        let pushType: String?
        let priority: Int?
        let expiration: Int64?
        let collapseID: String?
    }

    private var hasAlert: Bool { self.title != nil || self.body != nil || self.sound != nil || self.badge != nil }

    func validate() throws {
        guard self.hasAlert != (self.payload != nil) else {
            throw ValidationError("Give either --payload, or content options such as --title.")
        }
    }

    /// Returns the send request as JSON; a payload and the values of `others` are inserted byte for byte.
    ///
    /// Without `targets`, the request has no such member. `others` has more members by name, each a JSON value.
    ///
    /// - Throws: ``CommandError`` for a payload that cannot be read or is invalid.
    func request(targets: TargetArguments?, others: [String: [UInt8]] = [:]) throws -> Data {
        let alert = Request.Alert(title: self.title, body: self.body, sound: self.sound, badge: self.badge)
        let request = Request(
            targets: targets?.body,
            notification: self.payload == nil ? alert : nil,
            pushType: self.pushType,
            priority: self.priority,
            expiration: self.expiration,
            collapseID: self.collapseID
        )
        let members = try JSON.encoder.encode(request)
        var others = others
        if let payload { others["payload"] = try Self.payload(in: payload) }
        return others.sorted { $0.key > $1.key }.reduce(members) { members, other in
            let separator = members == Data("{}".utf8) ? "" : ","
            return Data("{\"\(other.key)\":".utf8) + other.value + Data(separator.utf8) + members.dropFirst()
        }
    }

    /// Reads a payload, and validates that it is a JSON object, because it is inserted byte for byte.
    private static func payload(in path: String) throws -> [UInt8] {
        let bytes = Array(try InputFile.bytes(path))
        do {
            return try APNsPayload(json: bytes).bytes
        } catch {
            let name = path == "-" ? "standard input" : path
            throw CommandError("bad_payload", "\(name): \(error.message)", cause: error)
        }
    }
}
