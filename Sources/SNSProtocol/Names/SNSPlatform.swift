// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

package import APNs

/// A push service as SNS names it: the platform of an application.
///
/// Only those of Apple are here; ``init(parameter:)`` says so of the others.
package enum SNSPlatform: String, Hashable, Sendable, CaseIterable {
    /// Apple's production service.
    case apns = "APNS"
    /// Apple's sandbox.
    case apnsSandbox = "APNS_SANDBOX"
    /// Calls, production.
    case apnsVoIP = "APNS_VOIP"
    /// Calls, sandbox.
    case apnsVoIPSandbox = "APNS_VOIP_SANDBOX"
    /// macOS apps, production.
    case macOS = "MACOS"
    /// macOS apps, sandbox.
    case macOSSandbox = "MACOS_SANDBOX"
    /// Passes of Wallet, production.
    case apnsPassbook = "APNS_PASSBOOK"
    /// Passes of Wallet, sandbox.
    case apnsPassbookSandbox = "APNS_PASSBOOK_SANDBOX"
    /// Managed devices, production.
    case apnsMDM = "APNS_MDM"
    /// Managed devices, sandbox.
    case apnsMDMSandbox = "APNS_MDM_SANDBOX"

    /// Reads the parameter `Platform`.
    ///
    /// - Throws: ``SNSError`` `InvalidParameter` for every platform that is not Apple's.
    package init(parameter: String) throws(SNSError) {
        guard let platform = SNSPlatform(rawValue: parameter) else {
            throw .invalidParameter("Platform", reason: "\(parameter.cut) is not supported")
        }
        self = platform
    }

    package var environment: APNsEnvironment { self.rawValue.hasSuffix("_SANDBOX") ? .sandbox : .production }

    /// The type of push that its messages are when they do not say otherwise, or nil where the payload decides.
    package var pushType: PushType? {
        switch self {
        case .apnsVoIP, .apnsVoIPSandbox: .voip
        case .apnsMDM, .apnsMDMSandbox: .mdm
        default: nil
        }
    }
}
