// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

import APNs
import ArgumentParser
import Foundation

/// What is to change about an activity, whether it goes on or ends.
struct ActivityChangeArguments: ParsableArguments {
    @Option(help: "The whole content state, \(JSONObjectInput.form).")
    var state: String?

    @Option(help: "A merge patch of the content state, \(JSONObjectInput.form); null removes a member.")
    var patch: String?

    @OptionGroup(title: "Alert") var alert: ActivityAlertArguments

    /// Whether none of them is given.
    var isEmpty: Bool { self.state == nil && self.patch == nil && self.alert.isEmpty }

    func validate() throws {
        guard self.state == nil || self.patch == nil else {
            throw ValidationError("Give either --state or --patch.")
        }
    }

    /// Adds the members to a request.
    func write(to request: inout JSONWriter) throws {
        request.member("contentState", try self.state.map { try JSONObjectInput.fragment($0, of: "--state") })
        request.member("patch", try self.patch.map { try JSONObjectInput.fragment($0, of: "--patch") })
        self.alert.write(to: &request)
    }
}
