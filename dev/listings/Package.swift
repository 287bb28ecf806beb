// swift-tools-version: 6.0
// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import PackageDescription

// The listings of documents, beside what they leave undefined; dev/check-listings lays this package out in .build/listings.
// They were written for Swift 5, and are compiled as that. On Linux only, where Apple's frameworks are stood in for.
let frameworks: [Target.Dependency] = ["ActivityKit", "SwiftUI", "UIKit", "UserNotifications", "WidgetKit"]
    .map { .product(name: $0, package: "AppleStandIns") }

let package = Package(
    name: "Listings",
    dependencies: [.package(path: "../../AppleStandIns")],
    targets: ["LessonApp", "DashboardApp", "RidingApp", "RidingWidgets"].map {
        .executableTarget(name: $0, dependencies: frameworks, swiftSettings: [.swiftLanguageMode(.v5)])
    }
)
