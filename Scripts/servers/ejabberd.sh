# SPDX-License-Identifier: Apache-2.0
# How ejabberd is started, asked and administered. Sourced by Scripts/server.
#
# It runs as a single Erlang node without distribution, so neither a port mapper (epmd) nor a
# distribution port is opened, unless NODE names it as a member of a cluster (Scripts/cluster); it is
# administered through its HTTP interface on loopback.
# shellcheck shell=bash

ejabberd_app() {
    if [ -n "${BACKPORTS:-}" ]; then
        find "$BACKPORTS/usr/lib" -path '*/ebin/ejabberd.app' 2>/dev/null | head -n 1
    else
        dpkg -L ejabberd 2>/dev/null | grep '/ebin/ejabberd\.app$' || true
    fi
}

server_check() {
    command -v erl >/dev/null && [ -n "$(ejabberd_app)" ] ||
        die "ejabberd is missing; run Scripts/install servers"
}

server_version() { sed -n 's/.*{vsn, *"\([^"]*\)".*/\1/p' "$(ejabberd_app)" | head -n 1 | sed "s,[-~].*,,"; }

server_launch() {
    local AUTH_FORMAT=plain HASH TLS_EXTRA='' MORE_MODULES='' module
    # Tokens, better password hashes and names of accounts in rooms came after the version of Debian 12.
    [ -z "${BACKPORTS:-}" ] || for module in mod_auth_fast mod_scram_upgrade; do
        MORE_MODULES+=$'\n'"  $module: {}"
    done
    local MORE_ROOMS=''
    [ -z "${BACKPORTS:-}" ] || MORE_ROOMS=$'\n'"      mod_muc_occupantid: {}"
    [ "$AUTH" = plain ] || AUTH_FORMAT=scram
    HASH=$(tr -d - <<<"${SCRAM_HASH,,}")
    [ "$HASH" != sha1 ] || HASH=sha
    [ "$TLS_MAX" = 1.3 ] || TLS_EXTRA=$'\n    - no_tlsv1_3'
    mkdir -p "$DIR/home" "$DIR/spool"
    write_captcha
    # Mnesia stops storing messages after a few thousand, silently but for its log.
    local ARCHIVE='' SQL=''
    if [ "${ARCHIVE_IN:-}" = sqlite ]; then
        SQL=$'sql_type: sqlite\n'"sql_database: \"$DIR/archive.db\""
        ARCHIVE=$'\n    db_type: sql'
        [ -s "$DIR/archive.db" ] || python3 -c 'import sqlite3, sys
sqlite3.connect(sys.argv[1]).executescript(open(sys.argv[2]).read())' "$DIR/archive.db" /usr/share/ejabberd/sql/lite.sql
    fi
    fill DIR DOMAIN C2S_PORT C2S_TLS_PORT HTTP_PORT HTTPS_PORT WS_URL SMACKS_TIMEOUT LOG_LEVEL AUTH_FORMAT \
        HASH TLS_EXTRA MORE_MODULES MORE_ROOMS ARCHIVE SQL COMPONENT_PORT COMPONENT_SECRET WEB_URL \
        <"$SERVERS/ejabberd.yml" >"$DIR/ejabberd.yml"
    # Debian keeps ejabberd and its libraries outside Erlang's own tree.
    local app libraries flags=''
    app=$(ejabberd_app)
    libraries=$(dirname "$(dirname "$(dirname "$app")")")
    [ -z "$BACKPORTS" ] || flags=$(cat "$BACKPORTS/erl-flags")
    # Erlang's resolver asks no name server: `localhost` is in its own file.
    printf '%s\n' '{lookup, ["file"]}.' '{host, {127,0,0,1}, ["localhost"]}.' >"$DIR/inetrc"
    local member=()
    if [ -n "${NODE:-}" ]; then
        (umask 077 && printf '%s' "$COOKIE" >"$DIR/home/.erlang.cookie" && chmod 600 "$DIR/home/.erlang.cookie")
        member=(-name "$NODE" -start_epmd false -kernel inet_dist_use_interface '{127,0,0,1}')
    fi
    launch "$DIR" env HOME="$DIR/home" ERL_LIBS="$libraries" ERL_FLAGS="$flags" ERL_INETRC="$DIR/inetrc" \
        EJABBERD_CONFIG_PATH="$DIR/ejabberd.yml" EJABBERD_LOG_PATH="$DIR/ejabberd.log" \
        ERL_CRASH_DUMP="$DIR/erl_crash.dump" ERL_CRASH_DUMP_BYTES=0 \
        ERL_EPMD_ADDRESS=127.0.0.1 ERL_EPMD_PORT="${EPMD_PORT:-4369}" \
        erl +K true -noinput "${member[@]}" -mnesia dir "\"$DIR/spool\"" -s ejabberd
}

# The picture is always the same; what is to be read in it lies in captcha.text.
write_captcha() {
    cat >"$DIR/captcha.sh" <<X
#!/bin/sh
printf '%s' "\$1" >'$DIR/captcha.text'
echo iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNk+A8AAQUBAScY42YAAAAASUVORK5CYII= | base64 -d
X
    chmod 700 "$DIR/captcha.sh"
}

server_answers() { [[ $(server_control status 2>/dev/null) == *"is running"* ]]; }

# COMMAND NAME=VALUE...: one call of the HTTP interface; prints the answer's body
server_control() {
    local command=$1 body='' pair value status
    shift
    for pair in "$@"; do
        value=${pair#*=}
        value=${value//\\/\\\\}
        body+="${body:+,}\"${pair%%=*}\":\"${value//\"/\\\"}\""
    done
    body="{$body}"
    exec 4<>"/dev/tcp/127.0.0.1/$HTTP_PORT" || return 1
    printf 'POST /api/%s HTTP/1.0\r\nHost: localhost\r\nContent-Length: %d\r\n\r\n%s' \
        "$command" "$(LC_ALL=C; echo ${#body})" "$body" >&4
    read -r -t 20 _ status _ <&4 || return 1
    while read -r -t 20 line <&4 && [ "${line%$'\r'}" != "" ]; do :; done
    cat <&4
    exec 4>&-
    echo
    [ "$status" = 200 ]
}

server_register() { # USER PASSWORD DOMAIN
    server_control register user="$1" host="$3" password="$2" >/dev/null ||
        server_control change_password user="$1" host="$3" newpass="$2" >/dev/null ||
        die "could not register $1@$3"
}

server_log() { cat "$DIR/stdout.log" "$DIR/ejabberd.log" 2>/dev/null; }
