// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import APNs
public import ArgumentParser

extension APNsEnvironment: ExpressibleByArgument {}
