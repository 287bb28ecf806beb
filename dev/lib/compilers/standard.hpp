// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Apus authors

// What dev/lib/compilers/clang precompiles: the headers of the C++ library that BoringSSL includes.
#include <algorithm>
#include <array>
#include <atomic>
#include <bitset>
#include <functional>
#include <initializer_list>
#include <iterator>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>
