// swift-tools-version: 6.0
// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors
import PackageDescription

// An app resolves nothing but this package. On Linux, where Apple's frameworks are not, it is compiled and tested against
// those that stand in for them.
let settings: [SwiftSetting] = ["ExistentialAny", "InternalImportsByDefault", "MemberImportVisibility"]
    .map { .enableUpcomingFeature($0) }

var dependencies: [Package.Dependency] = []
var frameworks: [Target.Dependency] = []

#if os(Linux)
dependencies = [.package(path: "../AppleStandIns")]
frameworks = ["ActivityKit", "SwiftUI", "UIKit", "UserNotifications", "WidgetKit"]
    .map { .product(name: $0, package: "AppleStandIns") }
let device: [Target.Dependency] = ["VirtualDevice", "VirtualDeviceTesting"]
    .map { .product(name: $0, package: "AppleStandIns") }
#else
let device: [Target.Dependency] = []
#endif

let package = Package(
    name: "ApusKit",
    platforms: [.iOS("16.1"), .macOS(.v13)],
    products: [.library(name: "ApusKit", targets: ["ApusKit"])],
    dependencies: dependencies,
    targets: [
        .target(name: "ApusKit", dependencies: frameworks, swiftSettings: settings),
        .testTarget(name: "ApusKitTests", dependencies: ["ApusKit"] + frameworks + device, swiftSettings: settings),
    ]
)

#if os(Linux)
// The sample app; in Xcode its sources belong to an app target and a widget extension.
package.targets.append(
    .executableTarget(name: "RidingDashboard", dependencies: ["ApusKit"] + frameworks, path: "Examples/RidingDashboard")
)
#endif
