// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import ArgumentParser
public import PushModel

extension Scope: ExpressibleByArgument {}
