// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

// A file that imports both Testing and a module with the name UIKit has the compiler look for a module of this name, in which
// Swift Testing has attachments of images for Apple's UIKit. Here there are none.
