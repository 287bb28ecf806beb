// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Foundation

/// The service of Apple's to which an app's tokens belong.
public enum PushEnvironment: String, Sendable, Codable {
    /// Builds that Xcode puts on a phone.
    case sandbox
    /// TestFlight, the App Store, ad hoc and enterprise distribution.
    case production

    /// What this build is signed for.
    ///
    /// The entitlement `aps-environment` of the profile within the app decides. There is none in what comes from the App
    /// Store or TestFlight, which is production; Apple's simulator belongs to the sandbox.
    public static let ofThisBuild: PushEnvironment = {
        #if targetEnvironment(simulator) || os(Linux)
        return .sandbox
        #else
        let profile = Bundle.main.url(forResource: "embedded", withExtension: "mobileprovision")
        guard let data = profile.flatMap({ try? Data(contentsOf: $0) }) else { return .production }
        return Self(profile: data) ?? .production
        #endif
    }()

    /// What a provisioning profile says; `nil` for one that says nothing of pushes.
    ///
    /// A profile is a signed message; the property list stands in it as it is.
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
