# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 the Apus authors

"""Runs a function as AWS Lambda does: imports the module of `_HANDLER` from LAMBDA_TASK_ROOT once, and calls it for each event.

Each line of standard input is an event, each line of standard output a result, both as JSON. The first line says that the
module is imported. What the function prints goes to standard error, which is its log. It ends with standard input.
"""

import importlib
import json
import os
import sys


def main():
    results, sys.stdout = sys.stdout, sys.stderr
    sys.path.insert(0, os.environ["LAMBDA_TASK_ROOT"])
    module, _, function = os.environ["_HANDLER"].rpartition(".")
    handler = getattr(importlib.import_module(module), function)
    print(json.dumps({"handler": os.environ["_HANDLER"]}), file=results, flush=True)
    for line in sys.stdin:
        try:
            result = handler(json.loads(line), None)
        except Exception as error:
            result = {"errorType": type(error).__name__, "errorMessage": str(error)}
        print(json.dumps(result), file=results, flush=True)


main()
