// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

// If a file imports both Testing and a module named UIKit, the compiler looks for a module of this name. Swift Testing
// uses it for image attachments with Apple's UIKit. This shim has none.
