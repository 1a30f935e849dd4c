# SPDX-License-Identifier: Apache-2.0
"""What the slixmpp peer can do beyond chatting; loaded by a login with "extensions": true.

    {"do": "correct", "to": "alice@localhost", "of": "m1", "body": "hello"}
    {"do": "react", "to": ..., "of": "m1", "emojis": ["👍"]}
    {"do": "retract" | "mark", "to": ..., "of": "m1"}
    {"do": "reply", "to": ..., "of": "m1", "author": "alice@localhost/x", "body": "yes"}
    {"do": "block" | "unblock", "jid": "alice@localhost"}, {"do": "blocked"}
    {"do": "nick", "nick": "Bobby"}, {"do": "avatar", "hex": "89504e47..."}
    {"do": "fetch-avatar", "jid": "alice@localhost", "avatar": "SHA-1 in hex"}

Events: correction, reactions, retraction, marker, reply, blocked, unblocked, nick, avatar.
"""

PLUGINS = [
    "xep_0115", "xep_0060", "xep_0163", "xep_0172", "xep_0084", "xep_0191", "xep_0308", "xep_0333", "xep_0424",
    "xep_0428", "xep_0444", "xep_0461",
]


def install(peer):
    """Loads the plugins and turns what they report into events."""
    for name in PLUGINS:
        peer.register_plugin(name)

    def sender(stanza):
        return {"from": str(stanza["from"])}

    def on(event, make):
        peer.add_event_handler(event, lambda stanza: peer._note(**make(stanza), **sender(stanza)))

    on("message_correction", lambda m: {"event": "correction", "of": m["replace"]["id"], "body": m["body"]})
    on("reactions", lambda m: {"event": "reactions", "of": m["reactions"]["id"],
                               "emojis": sorted(m["reactions"].get_values(all_chars=True))})
    on("message_retract", lambda m: {"event": "retraction", "of": m["retract"]["id"], "body": m["body"]})
    on("marker_displayed", lambda m: {"event": "marker", "of": m["displayed"]["id"]})
    on("message_reply", lambda m: {"event": "reply", "of": m["reply"]["id"], "body": m["body"],
                                   "text": m["reply"].strip_fallback_content()})
    on("user_nick_publish", lambda m: {"event": "nick", "nick": m["pubsub_event"]["items"]["item"]["nick"]["nick"]})
    on("avatar_metadata_publish", lambda m: {
        "event": "avatar", "avatars": [info["id"] for info in
                                       m["pubsub_event"]["items"]["item"]["avatar_metadata"]["items"]]})
    on("blocked", lambda iq: {"event": "blocked", "jids": sorted(str(item["jid"]) for item in iq["block"])})
    on("unblocked", lambda iq: {"event": "unblocked", "jids": sorted(str(item["jid"]) for item in iq["unblock"])})


async def perform(peer, command):
    """Carries out one of the commands; None for what is none of them."""
    do = command["do"]
    if do == "correct":
        message = peer.plugin["xep_0308"].build_correction(command["of"], command["to"], mbody=command["body"])
        message.send()
        return {"message": message["id"]}
    if do == "react":
        message = peer.make_message(mto=command["to"], mtype="chat")
        message["reactions"]["id"] = command["of"]
        message["reactions"].set_values(command["emojis"], all_chars=True)
        message.enable("store")
        message.send()
        return {"message": message["id"]}
    if do == "retract":
        peer.plugin["xep_0424"].send_retraction(command["to"], command["of"])
        return {}
    if do == "mark":
        peer.plugin["xep_0333"].send_marker(command["to"], command["of"], "displayed")
        return {}
    if do == "reply":
        message = peer.plugin["xep_0461"].make_reply(command["author"], command["of"], mto=command["to"],
                                                     mbody=command["body"], mtype="chat")
        message.send()
        return {"message": message["id"]}
    if do in ("block", "unblock"):
        await getattr(peer.plugin["xep_0191"], do)(command["jid"], timeout=10)
        return {}
    if do == "blocked":
        return {"jids": sorted(str(jid) for jid in await peer.plugin["xep_0191"].get_blocked_jids(timeout=10))}
    if do == "nick":
        await peer.plugin["xep_0172"].publish_nick(command["nick"], timeout=10)
        return {}
    if do == "avatar":
        data = bytes.fromhex(command["hex"])
        avatars = peer.plugin["xep_0084"]
        await avatars.publish_avatar(data, timeout=10)
        name = avatars.generate_id(data)
        await avatars.publish_avatar_metadata([{"id": name, "type": "image/png", "bytes": len(data)}], timeout=10)
        return {"avatar": name}
    if do == "fetch-avatar":
        reply = await peer.plugin["xep_0084"].retrieve_avatar(command["jid"], command["avatar"], timeout=10)
        return {"hex": reply["pubsub"]["items"]["item"]["avatar_data"]["value"].hex()}
    return None
