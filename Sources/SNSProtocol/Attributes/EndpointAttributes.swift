// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

package import APNs

/// The attributes of an endpoint in a call; `nil` if they are missing.
package struct EndpointAttributes: Hashable, Sendable {
    /// The longest `CustomUserData`, in bytes of UTF-8.
    package static let maximumUserDataBytes = 2048

    /// The device token; every call that makes an endpoint has one.
    package let token: DeviceToken?
    /// Whether the endpoint takes messages.
    package let isEnabled: Bool?
    /// Custom data of the caller; empty for none.
    package let customUserData: String?

    package static let notFound = SNSError(.notFound, "Endpoint does not exist")

    package static let disabled = SNSError(.endpointDisabled, "Endpoint is disabled")

    /// The error of a message to an unknown endpoint.
    package static let notFoundAsTarget = SNSError.invalidParameter(
        "TargetArn",
        reason: "No endpoint found for the target arn specified"
    )

    /// Checks names and values.
    ///
    /// A token or user data in the map takes precedence over the parameter.
    ///
    /// - Throws: ``SNSError`` `InvalidParameter`.
    init(_ values: [String: String], token: String? = nil, customUserData: String? = nil) throws(SNSError) {
        for name in values.keys.sorted() where !["Token", "Enabled", "CustomUserData"].contains(name) {
            throw AttributeLocation.map.unknown(name)
        }
        self.token = try (values["Token"] ?? token).map { (text) throws(SNSError) in try Self.token(text) }
        self.isEnabled = try values["Enabled"].map { (text) throws(SNSError) in
            guard let flag = Bool(text.lowercased()) else {
                throw AttributeLocation.map.error("Invalid value for attribute: Enabled: must be true or false")
            }
            return flag
        }
        self.customUserData = values["CustomUserData"] ?? customUserData
        guard let data = self.customUserData else { return }
        let place = "Invalid value for attribute: CustomUserData"
        guard data.utf8.count <= Self.maximumUserDataBytes else {
            throw AttributeLocation.map.error("\(place): must be at most 2048 bytes long in UTF-8 encoding")
        }
        if let fault = XMLText.fault(in: data) { throw AttributeLocation.map.error("\(place): \(fault)") }
    }

    /// Checks that a call may "make" once more an endpoint that is there.
    ///
    /// `Enabled` must be as it is if it is given, and `CustomUserData` as it is even if it is not.
    ///
    /// - Throws: ``SNSError`` `InvalidParameter`, from whose sentence clients read the ARN.
    package func checkAgreement(with stored: EndpointDescription) throws(SNSError) {
        guard self.isEnabled ?? stored.isEnabled == stored.isEnabled,
            self.customUserData ?? "" == stored.customUserData ?? ""
        else {
            throw .invalidParameter(
                "Token",
                reason: "Endpoint \(stored.endpoint) already exists with the same Token, but different attributes."
            )
        }
    }

    private static func token(_ text: String) throws(SNSError) -> DeviceToken {
        do {
            return try DeviceToken(hex: text)
        } catch {
            // The rule of device tokens rejects some tokens that SNS would accept.
            let isShort = text.utf8.count <= 400 && text.utf8.allSatisfy { Hex.nibble($0) != Hex.invalid }
            let reason = "iOS device tokens must be no more than 400 hexadecimal characters"
            throw .invalidParameter("Token", reason: isShort ? "expected \(error.rule), got \(error.value)" : reason)
        }
    }
}

extension EndpointAttributes: CustomStringConvertible {
    /// The attributes without the token and the custom data.
    package var description: String {
        let enabled = self.isEnabled.map { "\($0)" } ?? "not given"
        return "token \(self.token?.description ?? "not given"), enabled \(enabled)"
    }
}

/// All that is answered of an endpoint.
package struct EndpointDescription: Hashable, Sendable {
    package var endpoint: EndpointARN
    package var token: DeviceToken
    /// Whether it takes messages.
    package var isEnabled: Bool
    /// Custom data of the caller; `nil` or empty for none.
    package var customUserData: String?

    package init(endpoint: EndpointARN, token: DeviceToken, isEnabled: Bool = true, customUserData: String? = nil) {
        self.endpoint = endpoint
        self.token = token
        self.isEnabled = isEnabled
        self.customUserData = customUserData
    }

    /// The attributes, in the order of their names.
    package var attributes: [SNSAttribute] {
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
    package var description: String { "\(self.endpoint), enabled \(self.isEnabled)" }
}
