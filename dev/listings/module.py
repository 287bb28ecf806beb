# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 the Apus authors

"""Runs a Python listing as a module, verbatim, with the names that it leaves undefined."""

import sys
import types


def load(name, path, account=None, **undefined):
    """Makes a module of a listing; other listings can import it by its name.

    Where the listing says that an account is to be filled in, it is.
    """
    with open(path, encoding="utf-8") as file:
        text = file.read()
    if account:
        text = text.replace("YOUR_ACCOUNT_ID", account)
    module = types.ModuleType(name)
    module.__dict__.update(undefined)
    sys.modules[name] = module
    exec(compile(text, path, "exec"), module.__dict__)
    return module
