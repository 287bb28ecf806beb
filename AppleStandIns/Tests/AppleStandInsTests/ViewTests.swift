// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import Foundation
import SwiftUI
import Testing

private struct Counter: View {
    @State private var count = 0
    let name: String

    var body: some View {
        VStack {
            Text("\(self.name): \(self.count)")
            Button("more of \(self.name)") { self.count += 1 }
                .padding()
        }
        .onReceive(NotificationCenter.default.publisher(for: Notification.Name("reset \(self.name)"))) { _ in
            self.count = 0
        }
    }
}

private struct Greeting: View {
    @State private var name = ""

    var body: some View {
        TextField("Name", text: self.$name)
        Text("Hello \(self.name)")
    }
}

private final class Plain: NSObject, UIApplicationDelegate {
    var isMade = true
}

@Suite("Views")
@MainActor
struct ViewTests {
    @Test("keep their state by their place, and change it by taps and notifications")
    func state() {
        let screen = Screen {
            HStack {
                Counter(name: "a")
                ForEach([1, 2], id: \.self) { Counter(name: "b\($0)") }
            }
        }
        #expect(screen.labels == ["more of a", "more of b1", "more of b2"])
        #expect(screen.tap("more of a") && screen.tap("more of b2") && screen.tap("more of b2"))
        #expect(!screen.tap("more of c"))
        #expect(screen.texts.filter { $0.contains(":") } == ["a: 1", "b1: 0", "b2: 2"])
        NotificationCenter.default.post(name: Notification.Name("reset b2"), object: nil)
        screen.refresh()
        #expect(screen.texts.filter { $0.contains(":") } == ["a: 1", "b1: 0", "b2: 0"])
    }

    @Test("change their state by text that is typed, and show the title of a field while it is empty")
    func typing() {
        let screen = Screen { Greeting() }
        #expect(screen.texts == ["Name", "Hello "])
        #expect(screen.type("Ann", into: "Name") && !screen.type("Ann", into: "Street"))
        #expect(screen.texts == ["Ann", "Hello Ann"])
    }

    @Test("an app's delegate is made from its class, which says nothing of a required initializer")
    func adaptor() {
        let adaptor = UIApplicationDelegateAdaptor(Plain.self)
        #expect(adaptor.wrappedValue.isMade)
    }
}
