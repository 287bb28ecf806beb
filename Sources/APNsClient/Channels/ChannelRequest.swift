// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import APNs

/// The requests of channel management.
extension APNsRequest {
    /// Creates a channel with a storage policy.
    package static func createChannel(_ policy: MessageStoragePolicy, of bundleID: Topic) -> APNsRequest {
        let body = #"{"message-storage-policy":\#(policy.rawValue),"push-type":"LiveActivity"}"#
        return self.channels("POST", APNsPath.channels(bundleID: bundleID.rawValue), body: Array(body.utf8))
    }

    static func readChannel(_ channel: APNsChannelID, of bundleID: Topic) -> APNsRequest {
        self.channels("GET", APNsPath.channels(bundleID: bundleID.rawValue), channel.rawValue)
    }

    /// Deletes the channel with an identifier that APNs returned.
    package static func deleteChannel(_ channel: String, of bundleID: Topic) -> APNsRequest {
        self.channels("DELETE", APNsPath.channels(bundleID: bundleID.rawValue), channel)
    }

    static func listChannels(of bundleID: Topic) -> APNsRequest {
        self.channels("GET", APNsPath.allChannels(bundleID: bundleID.rawValue))
    }

    private static func channels(
        _ method: String,
        _ path: String,
        _ channel: String? = nil,
        body: [UInt8] = []
    ) -> APNsRequest {
        var request = APNsRequest(method: method, path: path, body: body)
        if let channel { request.headers.append(("apns-channel-id", channel)) }
        // By this, Apple's support finds the request.
        request.headers.append(("apns-request-id", APNsID.random().description))
        return request
    }
}

/// The responses of channel management.
extension APNsResponse {
    /// Converts the response.
    ///
    /// `read` returns `nil` for a response that cannot be decoded.
    ///
    /// - Returns: the rejection of the response, or the decoded value.
    func answer<Value: Sendable>(_ read: (APNsResponse) -> Value?) -> ChannelResult<Value> {
        guard (200..<300).contains(self.status) else {
            return .rejected(Rejection(status: self.status, body: self.body))
        }
        if let value = read(self) { return .done(value) }
        let message = "APNs responded \(self.status) with \(self.body.count) bytes that cannot be decoded"
        return .failed(ChannelRequestError(code: .unreadable, message: message))
    }

    var channel: APNsChannelID? { self.headers[ResponseHeader.channelID].flatMap(APNsChannelID.init(rawValue:)) }

    var policy: MessageStoragePolicy? {
        guard
            case .object(let members)? = try? JSONValue(json: self.body),
            case .integer(let number)? = members["message-storage-policy"]
        else { return nil }
        return MessageStoragePolicy(rawValue: Int(number))
    }

    /// The channels in the body; invalid IDs are skipped.
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

/// The result of a request to manage broadcast channels.
///
/// A rejection is an expected result, and so a value, not an error.
public enum ChannelResult<Value: Sendable>: Sendable {
    /// APNs did it.
    case done(Value)
    /// APNs answered with a reason.
    case rejected(Rejection)
    /// There is no answer, or none that can be read.
    case failed(ChannelRequestError)
}

extension ChannelResult: Equatable where Value: Equatable {}
