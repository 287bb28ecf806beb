// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

// The listing has no import lines: in its file they stand above what the document shows.
@_exported import ActivityKit
@_exported import Foundation
