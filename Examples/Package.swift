// swift-tools-version: 6.0
// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors
import PackageDescription

// The apps of the examples as processes on virtual devices, compiled from the sources of their Xcode projects
// (NAME/ios/project.yml). On Linux only, against the modules that stand in for Apple's.
let frameworks: [Target.Dependency] =
    [.product(name: "ApusKit", package: "ApusKit")]
    + ["ActivityKit", "SwiftUI", "UIKit", "UserNotifications", "WidgetKit"]
    .map { .product(name: $0, package: "AppleStandIns") }

/// The app of an example: the Xcode target `App`, whose sources are those in NAME/ios/App, and in NAME/ios/Shared if there is
/// a widget extension.
func app(_ name: String, hasWidget: Bool = true) -> Target {
    .executableTarget(
        name: "\(name)-app",
        dependencies: frameworks,
        path: "\(name)/ios",
        exclude: ["project.yml", "App/Info.plist", "App/App.entitlements"] + (hasWidget ? ["Widget"] : []),
        sources: ["App"] + (hasWidget ? ["Shared"] : [])
    )
}

/// Its widget extension: the Xcode target `Widget`, whose sources are those in NAME/ios/Widget and NAME/ios/Shared.
///
/// A target may not have sources of another one, so Widgets/NAME has links to both directories.
func widget(_ name: String) -> Target {
    .executableTarget(
        name: "\(name)-widget",
        dependencies: frameworks,
        path: "Widgets/\(name)",
        exclude: ["Widget/Info.plist"]
    )
}

let package = Package(
    name: "Examples",
    dependencies: [.package(path: "../ApusKit"), .package(path: "../AppleStandIns")],
    targets: [
        app("campaigner", hasWidget: false),
        app("ivent"), widget("ivent"),
        app("ride"), widget("ride"),
        app("watchme", hasWidget: false),
    ]
)
