// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import ArgumentParser
import CommandLineSupport
import Foundation

/// What is sent: an alert in words, or a whole payload.
struct ContentArguments: ParsableArguments {
    @Option(help: "The alert's title.")
    var title: String?

    @Option(help: "The alert's text.")
    var body: String?

    @Option(help: "The sound: default, or a file of the app.")
    var sound: String?

    @Option(help: "The number on the app's icon; 0 removes it.")
    var badge: Int?

    @Option(help: "A file with the whole payload as JSON, sent byte for byte; - is standard input.")
    var payload: String?

    @Option(help: "The push type: alert, background, voip, liveactivity, ... Default: alert.")
    var pushType: String?

    @Option(help: "10 at once, 5 as power allows, 1 never waking the device.")
    var priority: Int?

    @Option(help: "Until when APNs keeps it for a device that is offline, in Unix seconds; 0 tries once.")
    var expiration: Int64?

    @Option(help: "Notifications of the same id replace one another on the device.")
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
            throw ValidationError("Give either --payload, or some of --title, --body, --sound and --badge.")
        }
    }

    /// The request to send as JSON; the bytes of a payload, and of other members, stand in it as they are.
    ///
    /// Without `targets` the request has no such member. `others` has more members by their names, each a JSON value.
    ///
    /// - Throws: ``CommandFailure`` for a payload that cannot be read or is none.
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

    /// The bytes of a payload, which are a JSON object: nothing else may stand where they are put.
    private static func payload(in path: String) throws -> [UInt8] {
        let bytes = Array(try InputFile.bytes(path))
        do {
            return try APNsPayload(json: bytes).bytes
        } catch {
            let name = path == "-" ? "standard input" : path
            throw CommandFailure("bad_payload", "\(name): \(error.message)", cause: error)
        }
    }
}
