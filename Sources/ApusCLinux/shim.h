// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
