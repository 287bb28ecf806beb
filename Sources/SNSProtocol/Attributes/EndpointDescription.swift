// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import APNs

/// All that is answered of an endpoint.
public struct EndpointDescription: Hashable, Sendable {
    /// The endpoint.
    public var endpoint: EndpointARN
    /// The device token.
    public var token: DeviceToken
    /// Whether it takes messages.
    public var isEnabled: Bool
    /// What the caller keeps with it; `nil` or empty for nothing.
    public var customUserData: String?

    /// An endpoint with its attributes.
    public init(endpoint: EndpointARN, token: DeviceToken, isEnabled: Bool = true, customUserData: String? = nil) {
        self.endpoint = endpoint
        self.token = token
        self.isEnabled = isEnabled
        self.customUserData = customUserData
    }

    /// The attributes, in the order of their names.
    public var attributes: [SNSAttribute] {
        var attributes: [SNSAttribute] = []
        if let data = self.customUserData, !data.isEmpty {
            attributes.append(SNSAttribute(name: "CustomUserData", value: data))
        }
        attributes.append(SNSAttribute(name: "Enabled", value: String(self.isEnabled)))
        attributes.append(SNSAttribute(name: "Token", value: self.token.hex))
        return attributes
    }
}

extension EndpointDescription: CustomStringConvertible {
    /// The ARN and whether it is enabled; neither token nor data.
    public var description: String { "\(self.endpoint), enabled \(self.isEnabled)" }
}
