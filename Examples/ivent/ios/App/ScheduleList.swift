// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import ApusKit
import Foundation
import SwiftUI

/// The lessons of the parent's children.
@MainActor
final class ScheduleModel {
    nonisolated let backend: Backend
    nonisolated let manager: LiveActivityManager

    nonisolated init(backend: Backend) {
        self.backend = backend
        self.manager = LiveActivityManager(backend: backend)
    }

    func signIn(invitation: String) async throws {
        try Apus.shared.setUser(try await self.backend.signIn(invitation: invitation))
    }

    func schedules() async throws -> [Schedule] { try await self.backend.schedules() }
}

struct ScheduleList: View {
    let model: ScheduleModel
    @State private var invitation = ""
    @State private var isSignedIn = false
    @State private var schedules: [Schedule] = []
    @State private var notice = ""

    var body: some View {
        VStack {
            if self.isSignedIn {
                ForEach(self.schedules) { schedule in
                    Text("\(schedule.childName): \(schedule.title)").font(.headline)
                    Text("\(schedule.academyName), until \(Self.time(schedule.endTime, in: schedule.timeZone))")
                    Button("Show \(schedule.title) on the Lock Screen") { self.start(schedule) }
                }
                Button("Reload") { self.reload() }
            } else {
                TextField("Invitation", text: self.$invitation)
                Button("Sign in") { self.signIn() }
            }
            Text(self.notice)
        }
        .padding()
        .task {
            self.isSignedIn = await self.model.backend.isSignedIn
            if self.isSignedIn { self.reload() }
        }
    }

    private func signIn() {
        self.perform {
            try await self.model.signIn(invitation: self.invitation)
            self.isSignedIn = true
            self.schedules = try await self.model.schedules()
        }
    }

    private func reload() {
        self.perform { self.schedules = try await self.model.schedules() }
    }

    private func start(_ schedule: Schedule) {
        self.perform {
            try await self.model.manager.startActivity(for: schedule)
            self.notice = "\(schedule.title) is on the Lock Screen"
        }
    }

    private func perform(_ action: @escaping @MainActor () async throws -> Void) {
        Task { @MainActor in
            do { try await action() } catch { self.notice = "That failed: \(error)" }
        }
    }

    private static func time(_ date: Date, in timeZone: String) -> String {
        let formatter = DateFormatter()
        formatter.timeZone = TimeZone(identifier: timeZone)
        formatter.dateFormat = "HH:mm"
        return formatter.string(from: date)
    }
}
