# SPDX-License-Identifier: Apache-2.0
# Processes, ports and files of the test servers. Sourced by Scripts/server.
# shellcheck shell=bash

die() { echo "server: $*" >&2; exit 1; }

# running PID WORD: a live process whose command line holds WORD
running() {
    local line state
    line=$(tr '\0' ' ' 2>/dev/null <"/proc/$1/cmdline") || return 1
    if [ -n "$line" ]; then
        [[ $line == *"$2"* ]]
    else
        # A process that exchanges its program for another has none for a moment, one that has ended (Z) for good.
        state=$(sed 's/.*) //' "/proc/$1/stat" 2>/dev/null) && [[ $state != Z* ]]
    fi
}

# alive FILE WORD: the same for the process whose id stands in FILE
alive() {
    [ -s "$1" ] && running "$(cat "$1")" "$2"
}

# port_open PORT: something accepts on 127.0.0.1
port_open() { (exec 3<>"/dev/tcp/127.0.0.1/$1") 2>/dev/null; }

# listening PORT: some socket listens there, on any address
listening() {
    local hex
    printf -v hex ':%04X' "$1"
    awk -v port="$hex" '$4 == "0A" && substr($2, length($2) - 4) == port { found = 1 } END { exit !found }' \
        /proc/net/tcp /proc/net/tcp6 2>/dev/null
}

# free_ports N: the first of N neighbouring ports nobody listens on, below the range for outgoing ones
free_ports() {
    local base i
    while :; do
        base=$((20000 + RANDOM % 12000))
        for ((i = 0; i < $1; i++)); do ! listening $((base + i)) || continue 2; done
        echo "$base"
        return
    done
}

# launch DIR COMMAND...: run COMMAND detached in its own session, its id in DIR/server.pid
launch() {
    local directory=$1
    shift
    # The server must not keep the caller's files open: a pipe to us would never end.
    setsid "$@" >"$directory/stdout.log" 2>&1 </dev/null 3>&- 4>&- 5>&- 6>&- 7>&- 8>&- 9>&- &
    echo $! >"$directory/server.pid"
    disown
}

# stop_process FILE WORD SECONDS: ask the process to end, insist after SECONDS, return when it is gone
stop_process() {
    local file=$1 word=$2 limit=$3 pid i
    [ -s "$file" ] || return 0
    pid=$(cat "$file")
    if running "$pid" "$word"; then
        kill -TERM "$pid" 2>/dev/null || true
        for ((i = 0; i < limit * 20; i++)); do
            running "$pid" "$word" || break
            sleep 0.05
        done
        if running "$pid" "$word"; then kill -KILL "$pid" 2>/dev/null || true; fi
    fi
    rm -f "$file"
}

# follow_owner PID SERVER DIR: stop the server in DIR when process PID is gone, or DIR is
follow_owner() {
    setsid bash -c '
        server=$(cat "$3/server.pid")
        while kill -0 "$1" 2>/dev/null && [ -s "$3/server.pid" ]; do sleep 0.5; done
        [ ! -s "$3/server.pid" ] || exec "$2" stop "$3"
        . "$4"
        if running "$server" "$3"; then kill -TERM "$server"; fi
    ' owner "$@" "$SERVERS/process.sh" >/dev/null 2>&1 </dev/null 3>&- 4>&- 5>&- 6>&- 7>&- 8>&- 9>&- &
    disown
}

# write_env FILE NAME...: lines of NAME='value' for another script to read
write_env() {
    local file=$1 name
    shift
    for name in "$@"; do printf "%s='%s'\n" "$name" "${!name}"; done >"$file"
}

# fill NAME...: standard input with every @NAME@ replaced by the value of NAME
fill() {
    local text name
    text=$(cat)
    for name in "$@"; do text=${text//"@$name@"/"${!name}"}; done
    printf '%s\n' "$text"
}
