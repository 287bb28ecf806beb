// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

#ifndef __APPLE__
#include <malloc.h>
#include <spawn.h>
#include <sys/vfs.h>

// glibc 2.34 and later; its header shows it to C with _GNU_SOURCE only, which Swift's module of glibc does not set.
int posix_spawn_file_actions_addclosefrom_np(posix_spawn_file_actions_t *actions, int from);
#endif
