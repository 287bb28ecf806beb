// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import ActivityKit
import Foundation
import FoundationNetworking

/// Tells the backend a token, which is what the listing calls this for: here the backend is Apus.
///
/// The activity's own identifier is the name by which the server knows it, and it is told when the lesson ends, so that a
/// job can ask for that.
func registerPushToken(_ token: Data, activityId: String) async {
    typealias Lesson = Activity<IVENTActivityAttributes>
    let environment = ProcessInfo.processInfo.environment
    let server = environment["APUS_STAGE_SERVER"] ?? ""
    let app = environment["APUS_DEVICE_APP"] ?? ""
    guard let activity = Lesson.activities.first(where: { $0.id == activityId }),
        let url = URL(string: "\(server)/v1/apps/\(app)/activities/\(activityId)/tokens/phone")
    else { return print("there is no activity \(activityId) to tell of") }
    do {
        var request = URLRequest(url: url)
        request.httpMethod = "PUT"
        request.setValue("Bearer \(environment["APUS_STAGE_CLIENT_KEY"] ?? "")", forHTTPHeaderField: "Authorization")
        request.setValue("application/json", forHTTPHeaderField: "Content-Type")
        request.httpBody = try JSONSerialization.data(withJSONObject: [
            "token": token.map { String(format: "%02x", $0) }.joined(),
            "attributesType": "\(IVENTActivityAttributes.self)",
            "attributes": try JSONSerialization.jsonObject(with: JSONEncoder().encode(activity.attributes)),
            "contentState": try JSONSerialization.jsonObject(with: JSONEncoder().encode(activity.content.state)),
            "instants": ["endsAt": activity.content.state.endTime.formatted(.iso8601)],
        ])
        let (data, response) = try await URLSession.shared.data(for: request)
        let status = (response as? HTTPURLResponse)?.statusCode ?? 0
        if !(200..<300).contains(status) { print("\(status): \(String(decoding: data, as: UTF8.self))") }
    } catch {
        print("the token was not told: \(error)")
    }
}
