// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

#pragma once
#include <zmq.h>
