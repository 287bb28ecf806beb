// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

// The listings are members of a view that the document does not show: this is it, with them in the place of the lines that name
// them.
struct ContentView: View {
    // LISTING 003/3
    // LISTING 003/4
    // LISTING 003/5
    // LISTING 003/6
    // LISTING 003/7
}
