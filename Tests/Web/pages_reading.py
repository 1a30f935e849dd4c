# SPDX-License-Identifier: Apache-2.0
"""A long history, and what comes while somebody reads it."""

from browser import PHONE, becomes, check, expect, go, settled
from scene import BO, chat, opened
from standin import StandIn


# Scrolls up, and keeps the row that is being read.
UNDER_THE_EYE = """async () => {
  const frame = () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
  document.querySelector('.timeline').scrollTop -= 900;
  await frame();
  window.line = [...document.querySelectorAll('.message')].find((one) => one.getBoundingClientRect().top > 200);
  return line.getBoundingClientRect().top;
}"""


async def reading(suite, browser):
    site = StandIn()
    site.contact(BO, "Bo", "online")
    site.conversation(BO, [("in" if i % 3 else "out", f"Message {i} " + "words and words " * (i % 7), 3000 - i) for i in range(2000)], "Bo", unread=80)
    site.conversation("cy@chat.example", [("in", "hello", 1)], "Cy")
    someone, page = await opened(site, browser, chat(BO), kind=PHONE)
    async with suite.case("a chat opens at the first unread message, with a divider that counts"):
        await expect(page.locator(".unread-line")).to_be_visible()
        await expect(page.locator(".unread-line")).to_contain_text("80 new messages")
        await settled(page)
        top = await page.evaluate("document.querySelector('.unread-line').getBoundingClientRect().top")
        check(50 < top < 140, f"the divider is at {top}")
    async with suite.case("reading back: pages come in above, and the line under the eye does not move"):
        worst = 0
        for _ in range(25):
            before = await page.evaluate(UNDER_THE_EYE)
            # What lies above is fetched and drawn meanwhile.
            await settled(page)
            worst = max(worst, abs(await page.evaluate("window.line?.isConnected ? line.getBoundingClientRect().top : 1e4") - before))
        check(worst <= 1.5, f"moved by {worst:.1f} px")
        count = await page.evaluate("document.querySelectorAll('.message').length")
        check(count < 120, f"{count} rows exist")
        rows, above = await page.evaluate("""() => {
          const { messages } = document.querySelector('apus-chat').timeline;
          const first = document.querySelector('.message').dataset.id;
          return [messages.findIndex((one) => one.id === first), document.querySelector('.timeline > .space').offsetHeight];
        }""")
        check(above > rows * 30, f"{rows} rows above have {above} px, so that the view is at its upper end too soon")
    async with suite.case("a message keeps the focus while the view moves; one that is left far behind gives it to the history"):
        row = await page.evaluate("""() => {
          const one = [...document.querySelectorAll('.message')].find((row) => row.getBoundingClientRect().top > 200);
          one.focus({ preventScroll: true });
          return one.dataset.id;
        }""")
        for by in (250, 250, -400):
            await page.evaluate("(by) => { document.querySelector('.timeline').scrollTop += by }", by)
            await settled(page)
            focused = await page.evaluate("document.activeElement.dataset.id")
            check(focused == row, f"{row} had the focus, {focused} has it")
        await page.evaluate("document.querySelector('.timeline').scrollTop += 6000")
        await settled(page)
        check(await page.evaluate("document.activeElement.matches('.timeline')"), await page.evaluate("document.activeElement.outerHTML.slice(0, 80)"))
    async with suite.case("however far somebody scrolls back, no more than 1 000 messages are in memory; the way down leads to the newest"):
        loaded = "document.querySelector('apus-chat').timeline.messages"
        for _ in range(60):
            if await page.evaluate(f"{loaded}[0].body.startsWith('Message 7')"):
                break
            await page.evaluate("document.querySelector('.timeline').scrollTop = 0")
            await settled(page)
        check(await page.evaluate(f"{loaded}.length") == 1000, f"{await page.evaluate(f'{loaded}.length')} are loaded")
        for _ in range(40):
            if await page.evaluate(f"{loaded}.at(-1).body.startsWith('Message 1999')"):
                break
            await page.evaluate("document.querySelector('.timeline').scrollTop = 1e9")
            await settled(page)
        check(await page.evaluate(f"{loaded}.length") == 1000, f"{await page.evaluate(f'{loaded}.length')} are loaded")
        await page.evaluate("document.querySelector('.timeline').scrollTop = 1e9")
        await expect(page.locator(".message", has_text="Message 1999")).to_be_in_viewport()
        await page.evaluate("document.querySelector('.timeline').scrollTop = 4000")
        await settled(page)
    async with suite.case("where messages are missing, the chat says so, and looks for them"):
        site.messages["cy@chat.example"][0]["gap"] = True
        other = await someone.page()
        await other.goto(site.url + chat("cy@chat.example"))
        await expect(other.locator(".gap")).to_contain_text("Messages may be missing here")
        await expect(other.get_by_text("beginning of what is stored")).to_be_visible()
        await other.locator(".gap button").click()
        await expect(other.locator(".gap")).to_have_count(0)
        await other.close()
    async with suite.case("who came to a room and went stands in one line between the messages, and changes while nobody writes"):
        room = "activity@rooms.example"
        site.conversation(room, [("in", "one", 9), ("in", "two", 5)], "Activity")
        first, second = site.messages[room]

        def line(name, message, *people):
            return {"id": name, "account": first["account"], "room": room, "position": message["position"],
                    "began": message["time"], "ended": message["time"], "people": list(people)}
        site.activities[room] = [line("1", first, *({"name": name, "change": "came"} for name in ("bo", "dee", "eli", "<b>fay</b>")))]
        other = await someone.page()
        await other.goto(site.url + chat(room))
        await expect(other.locator(".message", has_text="two").locator(".activity")).to_have_text("bo, dee, eli and 1 more came in")
        site.emit({"type": "room-activity", "activity": line("2", second, {"name": "bo", "change": "kicked", "reason": "enough"})})
        last = other.locator(".activity").nth(1)
        await expect(last).to_have_text("bo was put out (enough)")
        site.emit({"type": "room-activity", "activity": line("2", second, {"name": "fay", "former": "eli", "change": "renamed"})})
        await expect(last).to_have_text("eli is now called fay")
        site.incoming(room, "three")
        await expect(other.locator(".message", has_text="three").locator(".activity")).to_have_text("eli is now called fay")
        site.emit({"type": "room-activity", "activity": line("2", second)})
        await expect(other.locator(".activity")).to_have_count(1)
        await other.close()
    async with suite.case("a chat of which nothing came yet says so, and shows what is found; what comes meanwhile stands behind the gap"):
        site.conversation("gap@chat.example", [], "Gap")
        site.end_gaps.add("gap@chat.example")
        other = await someone.page()
        await other.goto(site.url + chat("gap@chat.example"))
        await expect(other.locator(".gap")).to_contain_text("Messages may be missing here")
        site.incoming("gap@chat.example", "after the gap")
        await expect(other.locator(".message .gap")).to_have_count(1)
        await expect(other.locator(".gap")).to_have_count(1)
        site.end_gaps.clear()
        site.messages["gap@chat.example"].insert(0, {**site.messages["gap@chat.example"][0], "id": "found", "body": "before the gap", "position": 0})
        await other.locator(".gap button").click()
        await expect(other.locator(".message", has_text="before the gap")).to_have_count(1)
        await expect(other.locator(".gap")).to_have_count(0)
        await other.close()
    async with suite.case("a device is called by its program where it tells one; one that came since is asked, too"):
        site.profile = {"devices": [{"resource": "phone.3f9c", "program": "Dino"}]}
        site.contacts[0]["presence"]["resources"] = ["phone.3f9c"]
        other = await someone.page()
        await other.goto(site.url + chat(BO, "details"))
        facts = other.locator("apus-details .facts")
        await expect(facts).to_contain_text("Dino")
        await expect(facts).not_to_contain_text("3f9c")
        site.profile["devices"].append({"resource": "pc.77aa", "program": "Gajim"})
        site.contacts[0]["presence"]["resources"] = ["phone.3f9c", "pc.77aa", "old"]
        site.emit({"type": "contact", "contact": site.contacts[0]})
        await expect(facts).to_contain_text("Dino, Gajim, old")
        await other.close()
    async with suite.case("the service comes back while somebody reads back: the line under the eye stays, what came is found below"):
        site.failing["GET .*/events"] = (503, {"code": "leaving", "message": "stopping", "retryable": True})
        site.cut()
        await expect(page.locator(".link-state")).to_have_attribute("data-state", "offline")
        before = await page.evaluate(UNDER_THE_EYE)
        await settled(page)
        for i in range(40):
            site.incoming(BO, f"missed {i}.")
        site.failing.clear()
        asked = len([call for call in site.calls if call[1] == ["status"]])
        await page.evaluate("dispatchEvent(new Event('online'))")
        await becomes(lambda: len([call for call in site.calls if call[1] == ["status"]]) > asked, "the lists were not read again")
        await settled(page)
        moved = await page.evaluate("window.line.isConnected ? line.getBoundingClientRect().top : 1e4") - before
        check(abs(moved) <= 1.5, f"the line moved by {moved}")
        await page.locator(".jump").click()
        await expect(page.locator(".message", has_text="missed 39.")).to_be_in_viewport()
        for i in (0, 20, 39):
            check(await page.evaluate("(text) => document.querySelector('apus-chat').timeline.messages.filter((one) => one.body === text).length", f"missed {i}.") == 1, f"missed {i}.")
        await page.evaluate("document.querySelector('.timeline').scrollTop -= 3000")
        await settled(page)
    async with suite.case("a message that comes in while reading back is counted on the button, which leads to it"):
        site.incoming(BO, "the newest of all")
        await expect(page.locator(".jump .badge")).to_have_text("1")
        await page.locator(".jump").click()
        await expect(page.locator(".message", has_text="the newest of all")).to_be_in_viewport()
        await expect(page.locator(".jump")).to_be_hidden()
    async with suite.case("at the bottom a new message scrolls into view and its text alone is announced"):
        site.incoming(BO, "another one")
        await expect(page.locator(".message", has_text="another one")).to_be_in_viewport()
        await expect(page.locator("[role=log]")).to_contain_text("Bo: another one")
        await settled(page)
        check("seen" not in await page.locator("[role=log]").inner_text(), "a state is announced")
    async with suite.case("a draft stays with its chat, over a reload, and is shown in the list"):
        await page.locator("textarea").fill("half a thought")
        await page.get_by_role("button", name="Back").click()
        await expect(page.locator("chat-list .row").first).to_contain_text("Draft: half a thought")
        await go(page, site.url + chat("cy@chat.example"))
        await expect(page.locator("textarea")).to_have_value("")
        await go(page, site.url + chat(BO))
        await page.reload()
        await expect(page.locator("textarea")).to_have_value("half a thought")
    async with suite.case("the composer grows with the text, stays on screen, and the keyboard covers nothing"):
        await page.locator("textarea").fill("\n".join(f"line {i}" for i in range(12)))
        await settled(page)
        box = await page.locator("textarea").bounding_box()
        check(90 < box["height"] < 180, f"{box['height']} px high")
        await page.set_viewport_size({"width": 390, "height": 440})
        await settled(page)
        row = await page.locator(".composer").bounding_box()
        check(row["y"] + row["height"] <= 441, "the composer is below the screen")
        await expect(page.locator(".message", has_text="another one")).to_be_in_viewport()
        check(not someone.faults, str(someone.faults))
    await someone.close()
