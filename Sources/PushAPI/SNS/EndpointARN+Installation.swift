// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

package import PushModel
package import SNSProtocol

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The id at the end of an endpoint's ARN is the device's installation; one with characters that an ARN has not is written in
/// Base64 behind a prefix.
extension EndpointARN {
    private static let prefix = "x--"

    /// The ARN of a device.
    init(application: ApplicationARN, installation: InstallationID) throws(SNSError) {
        let text = installation.rawValue
        let isPlain = ResourceName.isEndpointIdentifier(text) && !text.hasPrefix(Self.prefix)
        let id = isPlain ? text : Self.prefix + Self.base64(text)
        guard let arn = EndpointARN(application: application, id: id) else {
            throw SNSError(.internalError, "An installation of the store has no id that SNS allows.")
        }
        self = arn
    }

    /// The installation; `nil` for an id that no device can have.
    package var installation: InstallationID? {
        guard self.id.hasPrefix(Self.prefix) else { return InstallationID(rawValue: self.id) }
        let text = self.id.dropFirst(Self.prefix.count).replacing("-", with: "+").replacing("_", with: "/")
        let padding = String(repeating: "=", count: (4 - text.utf8.count % 4) % 4)
        guard let data = Data(base64Encoded: text + padding), let name = String(validating: data, as: UTF8.self) else {
            return nil
        }
        return InstallationID(rawValue: name)
    }

    private static func base64(_ text: String) -> String {
        Data(text.utf8).base64EncodedString()
            .replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
    }
}
