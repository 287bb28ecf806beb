// swift-tools-version: 6.0
// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors
import PackageDescription

// Modules with the names of Apple's, for Linux: an app's push logic runs there against a virtual device of
// `apus simulate`. On Apple's systems this package has nothing, so that its modules never meet the real ones.

// Apple's modules are not in Swift 6 mode; neither are those that stand in for them, so that code sees the same.
let asApple: [SwiftSetting] = [.swiftLanguageMode(.v5)]

var products: [Product] = []
var targets: [Target] = []

#if os(Linux)
products = [
    "ActivityKit", "Combine", "SwiftUI", "UIKit", "UserNotifications", "VirtualDevice", "VirtualDeviceTesting",
    "WidgetKit",
]
.map { .library(name: $0, targets: [$0]) }
targets = [
    .target(name: "VirtualDevice"),
    .target(name: "VirtualDeviceTesting", dependencies: ["UIKit", "VirtualDevice"]),
    .target(name: "Combine", swiftSettings: asApple),
    .target(name: "UserNotifications", dependencies: ["VirtualDevice"], swiftSettings: asApple),
    .target(name: "_Testing_UIKit"),
    .target(
        name: "UIKit",
        dependencies: ["UserNotifications", "VirtualDevice", "_Testing_UIKit"],
        swiftSettings: asApple
    ),
    .target(name: "ActivityKit", dependencies: ["VirtualDevice"], swiftSettings: asApple),
    .target(name: "SwiftUI", dependencies: ["Combine", "UIKit", "VirtualDevice"], swiftSettings: asApple),
    .target(name: "WidgetKit", dependencies: ["ActivityKit", "SwiftUI"], swiftSettings: asApple),
    .testTarget(
        name: "AppleStandInsTests",
        dependencies: [
            "ActivityKit", "SwiftUI", "UIKit", "UserNotifications", "VirtualDevice", "VirtualDeviceTesting",
            "WidgetKit",
        ]
    ),
]
#endif

let package = Package(name: "AppleStandIns", products: products, targets: targets)
