// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import APNs
import NIOCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
public import Foundation
#endif

/// One request of channel management, as it goes on the wire.
struct ChannelRequest: Sendable {
    let method: String
    let path: String
    var channel: APNsChannelID?
    var body: [UInt8] = []
    /// By which Apple's support finds the request.
    let id = APNsID.random()

    /// Creates a channel that keeps what `policy` says.
    static func create(_ policy: MessageStoragePolicy, of bundleID: Topic) -> ChannelRequest {
        let body = #"{"message-storage-policy":\#(policy.rawValue),"push-type":"LiveActivity"}"#
        let path = APNsPath.channels(bundleID: bundleID.rawValue)
        return ChannelRequest(method: "POST", path: path, body: Array(body.utf8))
    }

    static func read(_ channel: APNsChannelID, of bundleID: Topic) -> ChannelRequest {
        ChannelRequest(method: "GET", path: APNsPath.channels(bundleID: bundleID.rawValue), channel: channel)
    }

    static func delete(_ channel: APNsChannelID, of bundleID: Topic) -> ChannelRequest {
        ChannelRequest(method: "DELETE", path: APNsPath.channels(bundleID: bundleID.rawValue), channel: channel)
    }

    static func list(_ bundleID: Topic) -> ChannelRequest {
        ChannelRequest(method: "GET", path: APNsPath.allChannels(bundleID: bundleID.rawValue))
    }
}

/// What a server answered to a request of channel management.
struct ChannelResponse: Sendable {
    /// The most bytes of a body that are taken: a list of 10,000 channels has less than half of that.
    static let maximumBody = 4 << 20

    var status = 0
    var channel: String?
    var body: [UInt8] = []

    /// What the answer means.
    ///
    /// `read` returns `nil` for an answer that cannot be read.
    ///
    /// - Returns: the rejection that it names, or what was read.
    func answer<Value: Sendable>(_ read: (ChannelResponse) -> Value?) -> ChannelAnswer<Value> {
        guard (200..<300).contains(self.status) else {
            return .rejected(Rejection(status: self.status, body: self.body))
        }
        if let value = read(self) { return .done(value) }
        let message = "APNs answered \(self.status) with \(self.body.count) bytes that cannot be read"
        return .failed(ChannelFailure(code: .unreadable, message: message))
    }

    var policy: MessageStoragePolicy? {
        guard
            case .object(let members)? = try? JSONValue(json: self.body),
            case .integer(let number)? = members["message-storage-policy"]
        else { return nil }
        return MessageStoragePolicy(rawValue: Int(number))
    }

    /// The channels that the body lists; what is no identifier is passed over.
    var channels: [APNsChannelID]? {
        guard
            case .object(let members)? = try? JSONValue(json: self.body),
            case .array(let elements)? = members["channels"]
        else { return nil }
        return elements.compactMap { element in
            guard case .string(let text) = element else { return nil }
            return APNsChannelID(rawValue: text)
        }
    }
}

/// What became of a request to manage broadcast channels.
///
/// A rejection is expected traffic, and so a value, not an error.
public enum ChannelAnswer<Value: Sendable>: Sendable {
    /// APNs did it.
    case done(Value)
    /// APNs answered with a reason.
    case rejected(Rejection)
    /// There is no answer, or none that can be read.
    case failed(ChannelFailure)
}

extension ChannelAnswer: Equatable where Value: Equatable {}
