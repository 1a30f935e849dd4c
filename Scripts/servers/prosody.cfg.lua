-- SPDX-License-Identifier: Apache-2.0
-- Prosody for tests: loopback only, open registration, no limits. Scripts/server fills in @NAMES@.

run_as_root = true
data_path = "@DIR@/data"
pidfile = "@DIR@/prosody.pid"
admin_socket = "@DIR@/admin.sock"
log = { { levels = { min = "@LOG_LEVEL@" }, to = "file", filename = "@DIR@/prosody.log" } }

interfaces = { "127.0.0.1" }
local_interfaces = { "127.0.0.1" }
c2s_ports = { @C2S_PORT@ }
c2s_direct_tls_ports = { @C2S_TLS_PORT@ }
s2s_ports = {}
s2s_direct_tls_ports = {}
http_ports = {}
https_ports = { @HTTPS_PORT@ }
https_interfaces = { "127.0.0.1" }
http_default_host = "@DOMAIN@"
component_ports = { @COMPONENT_PORT@ }
component_interfaces = { "127.0.0.1" }
http_paths = { files = "/", websocket = "/xmpp-websocket", file_share = "/upload" }
http_external_url = "@WEB_URL@/"
http_files_dir = "@DIR@/www"

ssl = {
    certificate = "@DIR@/certs/chain.crt";
    key = "@DIR@/certs/server.key";
    protocol = "@TLS_PROTOCOL@";
}
certificates = "@DIR@/certs"
c2s_require_encryption = true
c2s_stanza_size_limit = 10 * 1024 * 1024

-- Logging in anew: SASL2 with FAST tokens, from Prosody 13 on.
tls_server_end_point_hash = "@END_POINT_HASH@"
sasl2_fast_token_ttl = @FAST_TTL@
sasl2_fast_token_min_ttl = @FAST_ROTATE@

authentication = "@AUTHENTICATION@"
password_hash = "@SCRAM_HASH@"
allow_registration = true
registration_invite_only = false
allow_user_invites = true
storage = "internal"

modules_enabled = {
    "c2s", "tls", "saslauth", "roster", "presence", "message", "iq", "disco",
    "register_ibr", "user_account_management",
    "smacks", "csi_simple", "carbons", "mam", "offline", "private", "pep", "bookmarks", "blocklist", "vcard_legacy",
    "vcard4", "ping", "time", "version", "uptime", "lastactivity", "server_contact_info", "adhoc", "http",
    "http_files", "websocket",
    "invites", "invites_adhoc", "invites_register", "cloud_notify", "admin_shell", "admin_socket",
    @NEWER_MODULES@
}
modules_disabled = { "s2s" }

smacks_hibernation_time = @SMACKS_TIMEOUT@
smacks_max_queue_size = 5000
default_archive_policy = true
archive_expires_after = "never"
storage_archive_item_limit = 1000000
max_archive_query_results = @ARCHIVE_PAGE@

contact_info = { abuse = { "xmpp:abuse@@DOMAIN@" }, support = { "mailto:help@@DOMAIN@" } }

VirtualHost "@DOMAIN@"

-- Nodes for everybody; only the keeper may make them.
Component "pubsub.@DOMAIN@" "pubsub"
    admins = { "keeper@@DOMAIN@" }

-- The same server by its address, for people who log in as user@127.0.0.1.
VirtualHost "127.0.0.1"

-- For people without an account.
VirtualHost "guest.@DOMAIN@"
    authentication = "anonymous"

Component "upload.@DOMAIN@" "http_file_share"
    http_host = "@DOMAIN@"
    http_file_share_size_limit = 10 * 1024 * 1024
    http_file_share_access = { "@DOMAIN@", "127.0.0.1" }

Component "rooms.@DOMAIN@" "muc"
    restrict_room_creation = false
    modules_enabled = { "muc_mam", "muc_moderation", @ROOM_MODULES@ }
    muc_log_by_default = true
    muc_log_expires_after = "never"

-- For programs that join the server (XEP-0114).
Component "component.@DOMAIN@"
    component_secret = "@COMPONENT_SECRET@"
Component "echo.@DOMAIN@"
    component_secret = "@COMPONENT_SECRET@"
