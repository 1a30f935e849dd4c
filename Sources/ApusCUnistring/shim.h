// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <unictype.h>
#include <uninorm.h>
#include <unicase.h>
