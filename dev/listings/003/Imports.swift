// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

// The listings have no import lines: in their files they stand above what the document shows.
@_exported import ActivityKit
@_exported import Foundation
@_exported import SwiftUI
@_exported import WidgetKit
