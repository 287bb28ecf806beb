// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

public import APNsSimulator
public import ArgumentParser

extension PopulationTokens.Standing: ExpressibleByArgument {}
