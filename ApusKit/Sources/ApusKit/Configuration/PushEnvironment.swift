// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Foundation

/// The APNs environment that issues an app's tokens.
public enum PushEnvironment: String, Sendable, Codable {
    /// Builds that Xcode installs on a device.
    case sandbox
    /// Builds from TestFlight, the App Store, ad hoc or enterprise distribution.
    case production

    /// The environment that this build is signed for.
    ///
    /// The entitlement `aps-environment` of the embedded provisioning profile decides. Builds from the App Store or
    /// TestFlight have no profile and use `production`. Simulator builds use `sandbox`.
    public static let ofThisBuild: PushEnvironment = {
        #if targetEnvironment(simulator) || os(Linux)
        return .sandbox
        #else
        let profile = Bundle.main.url(forResource: "embedded", withExtension: "mobileprovision")
        guard let data = profile.flatMap({ try? Data(contentsOf: $0) }) else { return .production }
        return Self(profile: data) ?? .production
        #endif
    }()

    /// Reads the environment from a provisioning profile; `nil` if the profile has no push entitlement.
    ///
    /// A profile is a signed CMS message that contains the property list as plain text.
    init?(profile: Data) {
        guard let start = profile.range(of: Data("<?xml".utf8)),
            let end = profile.range(of: Data("</plist>".utf8), in: start.lowerBound..<profile.endIndex),
            let list = try? PropertyListSerialization.propertyList(
                from: Data(profile[start.lowerBound..<end.upperBound]),
                format: nil
            ),
            let entitlements = (list as? [String: Any])?["Entitlements"] as? [String: Any],
            let value = entitlements["aps-environment"] as? String
        else { return nil }
        self = value == "development" ? .sandbox : .production
    }
}
