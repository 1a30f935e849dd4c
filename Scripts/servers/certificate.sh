# SPDX-License-Identifier: Apache-2.0
# A certificate authority and a server certificate of its own for each test server. Sourced.
# shellcheck shell=bash

# make_certificate DIR DOMAIN: ca.crt, server.crt, server.key, chain.crt (server, CA), server.pem (all)
make_certificate() {
    local directory=$1 domain=$2 subject address
    if [ "$(cat "$directory/domain" 2>/dev/null)" = "$domain" ]; then return; fi
    command -v openssl >/dev/null || die "openssl is missing; run Scripts/install servers"
    mkdir -p "$directory"
    subject=DNS:$domain
    case $domain in
    *[!0-9.]*) for address in rooms upload proxy pubsub guest captcha sha1; do subject+=,DNS:$address.$domain; done ;;
    *) subject=IP:$domain ;;
    esac
    (
        umask 077
        cd "$directory" || exit 1
        cat >openssl.cnf <<X
[req]
distinguished_name = name
prompt = no
[name]
CN = $domain
[authority]
basicConstraints = critical,CA:TRUE
keyUsage = critical,keyCertSign,cRLSign
[server]
basicConstraints = critical,CA:FALSE
keyUsage = critical,digitalSignature
extendedKeyUsage = serverAuth
subjectAltName = $subject,DNS:localhost,IP:127.0.0.1,IP:::1
X
        for name in ca server; do openssl ecparam -name prime256v1 -genkey -noout -out $name.key; done
        openssl req -x509 -new -key ca.key -sha256 -days 30 -config openssl.cnf -extensions authority \
            -subj "/CN=Test authority of $domain" -out ca.crt
        openssl req -new -key server.key -sha256 -config openssl.cnf -out server.csr
        openssl x509 -req -in server.csr -CA ca.crt -CAkey ca.key -set_serial "0x$(openssl rand -hex 8)" \
            -sha256 -days 30 -extfile openssl.cnf -extensions server -out server.crt
        cat server.crt ca.crt >chain.crt
        cat server.crt server.key ca.crt >server.pem
        chmod 644 ca.crt server.crt chain.crt
        printf '%s' "$domain" >domain
    ) >"$directory/openssl.log" 2>&1 || {
        cat "$directory/openssl.log" >&2
        die "could not make the certificates"
    }
}

# make_client_certificate DIR JID FILE: a PEM file with a certificate that names the address, its key and the authority
make_client_certificate() {
    (
        umask 077
        cd "$1" || exit 1
        cat >client.cnf <<X
[req]
distinguished_name = name
prompt = no
[name]
CN = $2
[client]
basicConstraints = critical,CA:FALSE
keyUsage = critical,digitalSignature
extendedKeyUsage = clientAuth
subjectAltName = otherName:1.3.6.1.5.5.7.8.5;UTF8:$2
X
        openssl ecparam -name prime256v1 -genkey -noout -out client.key
        openssl req -new -key client.key -sha256 -config client.cnf -out client.csr
        openssl x509 -req -in client.csr -CA ca.crt -CAkey ca.key -set_serial "0x$(openssl rand -hex 8)" \
            -sha256 -days 30 -extfile client.cnf -extensions client -out client.crt
        cat client.crt client.key ca.crt >"$3"
        rm client.cnf client.key client.csr client.crt
    ) >"$1/client.log" 2>&1 || {
        cat "$1/client.log" >&2
        die "could not make the certificate"
    }
}
