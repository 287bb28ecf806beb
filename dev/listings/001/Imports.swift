// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

// The view's listing has no import lines: in its file they stand above what the document shows.
@_exported import SwiftUI
