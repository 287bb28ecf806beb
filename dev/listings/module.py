# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 the Apus authors

"""Runs a Python listing as a module, verbatim, with the names that it leaves undefined."""

import sys
import types


def load(name, path, **undefined):
    """Makes a module of a listing; other listings can import it by its name."""
    with open(path, encoding="utf-8") as file:
        code = compile(file.read(), path, "exec")
    module = types.ModuleType(name)
    module.__dict__.update(undefined)
    sys.modules[name] = module
    exec(code, module.__dict__)
    return module
