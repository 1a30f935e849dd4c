# SPDX-License-Identifier: Apache-2.0
# How Prosody is started, asked and administered. Sourced by Scripts/server.
# shellcheck shell=bash

PROSODY=prosody PROSODYCTL=prosodyctl
if [ -n "${BACKPORTS:-}" ]; then PROSODY=$BACKPORTS/bin/prosody PROSODYCTL=$BACKPORTS/bin/prosodyctl; fi

server_check() { command -v "$PROSODY" >/dev/null || die "Prosody is missing; run Scripts/install servers"; }

server_version() {
    local file=/usr/lib/prosody/prosody.version
    [ -z "${BACKPORTS:-}" ] || file=$BACKPORTS$file
    if [ -s $file ]; then cat $file; else dpkg-query -W -f='${source:Upstream-Version}' prosody; fi
}

server_launch() {
    local AUTHENTICATION TLS_PROTOCOL=tlsv1_2+
    case $AUTH in
    plain) AUTHENTICATION=internal_plain ;;
    hashed) AUTHENTICATION=internal_hashed ;;
    *) die "AUTH is plain or hashed" ;;
    esac
    [ "$TLS_MAX" = 1.3 ] || TLS_PROTOCOL=tlsv1_2
    # On Prosody 0.12 the modules for SASL2 break every login, and reports of spam have no module.
    local NEWER_MODULES='' END_POINT_HASH
    [ -z "${BACKPORTS:-}" ] || NEWER_MODULES='"sasl2", "sasl2_bind2", "sasl2_sm", "sasl2_fast", "sasl_ssdp", "spam_reporting",'
    # Pictures of rooms are built in from Prosody 13 on.
    local ROOM_MODULES='"vcard_muc"'
    [ -z "${BACKPORTS:-}" ] || ROOM_MODULES=
    # "auto" works for the first connection only.
    END_POINT_HASH=$(openssl x509 -in "$DIR/certs/server.crt" -outform DER | openssl dgst -sha256 -r | cut -c 1-64)
    local ARCHIVE_PAGE=${ARCHIVE_PAGE:-100}
    mkdir -p "$DIR/data" "$DIR/www/.well-known"
    # XEP-0156 by HTTPS: where the WebSocket is.
    cat >"$DIR/www/.well-known/host-meta" <<X
<?xml version='1.0' encoding='utf-8'?>
<XRD xmlns='http://docs.oasis-open.org/ns/xri/xrd-1.0'>
  <Link rel='urn:xmpp:alt-connections:websocket' href='$WS_URL'/>
</XRD>
X
    printf '{"links":[{"rel":"urn:xmpp:alt-connections:websocket","href":"%s"}]}\n' "$WS_URL" \
        >"$DIR/www/.well-known/host-meta.json"
    fill DIR DOMAIN C2S_PORT C2S_TLS_PORT HTTPS_PORT SMACKS_TIMEOUT LOG_LEVEL AUTHENTICATION SCRAM_HASH TLS_PROTOCOL \
        NEWER_MODULES ROOM_MODULES END_POINT_HASH FAST_TTL FAST_ROTATE ARCHIVE_PAGE COMPONENT_PORT COMPONENT_SECRET WEB_URL \
        <"$SERVERS/prosody.cfg.lua" >"$DIR/prosody.cfg.lua"
    : >"$DIR/prosody.log"
    launch "$DIR" "$PROSODY" --config "$DIR/prosody.cfg.lua" -F
}

server_answers() { grep -q 'Activated service .c2s_direct_tls' "$DIR/prosody.log" 2>/dev/null; }

server_control() { "$PROSODYCTL" --root --config "$DIR/prosody.cfg.lua" "$@"; }

server_register() { # USER PASSWORD DOMAIN
    server_control register "$1" "$3" "$2" >/dev/null || die "could not register $1@$3"
}

server_log() { cat "$DIR/stdout.log" "$DIR/prosody.log" 2>/dev/null; }
