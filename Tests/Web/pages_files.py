# SPDX-License-Identifier: Apache-2.0
"""Files, pictures and voice notes: picked, dropped, pasted, recorded; seen one by one and all together."""

import base64

from browser import PHONE, SHOTS, becomes, check, expect, go, overflow, serious, settled, shot
from scene import BO, chat, lived_in, opened

PAINT = """async ([width, height, seed]) => {
  const canvas = new OffscreenCanvas(width, height);
  const paint = canvas.getContext("2d");
  for (let i = 0; i < 3000; i++) { paint.fillStyle = `hsl(${i * seed} 80% 50%)`; paint.fillRect((i * 37) % width, (i * 91) % height, 60, 60); }
  const bytes = new Uint8Array(await (await canvas.convertToBlob({ type: "image/png" })).arrayBuffer());
  let text = ""; for (const byte of bytes) text += String.fromCharCode(byte);
  return btoa(text);
}"""

DROP = """async ({ files }) => {
  const transfer = new DataTransfer();
  for (const [name, type, text] of files) transfer.items.add(new File([text], name, { type }));
  const chat = document.querySelector("apus-chat");
  for (const kind of ["dragover", "drop"]) chat.dispatchEvent(new DragEvent(kind, { dataTransfer: transfer, bubbles: true, cancelable: true }));
}"""

PASTE = """async (data) => {
  const bytes = Uint8Array.from(atob(data), (one) => one.charCodeAt(0));
  const transfer = new DataTransfer();
  transfer.items.add(new File([bytes], "image.png", { type: "image/png" }));
  document.querySelector("apus-composer textarea").dispatchEvent(new ClipboardEvent("paste", { clipboardData: transfer, bubbles: true, cancelable: true }));
}"""


async def files(suite, browser):
    site = lived_in(everything=True)
    someone, page = await opened(site, browser, chat(BO))
    tray, send = page.locator(".tray li"), page.locator(".send[type=submit]")
    async with suite.case("several files at once, dropped and pasted, with a caption; one is taken out again"):
        await page.evaluate(DROP, {"files": [["notes.txt", "text/plain", "one"], ["plan.pdf", "application/pdf", "%PDF-1.4"]]})
        await expect(tray).to_have_count(2)
        await page.evaluate(PASTE, await page.evaluate(PAINT, [900, 600, 7]))
        await expect(tray).to_have_count(3)
        await tray.filter(has_text="notes.txt").get_by_role("button", name="Remove notes.txt").click()
        await expect(tray).to_have_count(2)
        await expect(send).to_be_enabled()
        await page.locator("textarea").fill("both of them")
        await settled(page)
        check(not await serious(page), "axe: serious")
        await page.keyboard.press("Enter")
        message = page.locator(".message", has_text="both of them").last
        await expect(message.locator(".file", has_text="plan.pdf")).to_be_visible()
        await expect(message.locator(".picture img")).to_be_visible()
        await expect(tray).to_have_count(0)
    async with suite.case("a large picture goes reduced, or as it is when that is wanted"):
        big = await page.evaluate(PAINT, [3000, 1500, 11])
        sizes = []
        for original in (False, True):
            before = len(site.uploads)
            await page.locator("input[type=file]").set_input_files([{"name": "hill.png", "mimeType": "image/png", "buffer": base64.b64decode(big)}])
            if original:
                await page.get_by_label("Send pictures in full size").check()
            await expect(send).to_be_enabled()
            await page.keyboard.press("Enter")
            await expect(tray).to_have_count(0)
            await becomes(lambda: len(site.uploads) > before, "nothing was uploaded")
            sizes.append(list(site.uploads.values())[-1])
        check(sizes[0]["name"] == "hill.jpg" and sizes[1]["name"] == "hill.png", str(sizes))
        check(sizes[1]["size"] == len(base64.b64decode(big)), str(sizes))
    async with suite.case("an upload that is given up is not sent"):
        site.failing["POST .*/uploads"] = "cut"
        await page.evaluate(DROP, {"files": [["slow.txt", "text/plain", "slow"]]})
        await expect(tray.get_by_role("button", name="Try again")).to_be_visible()
        await expect(send).to_be_disabled()
        site.failing.clear()
        await tray.get_by_role("button", name="Remove slow.txt").click()
        await expect(tray).to_have_count(0)
    async with suite.case("pictures on the whole screen: next, previous, larger, reply, back to the chat"):
        await go(page, site.url + chat(BO))
        await page.locator(".message", has_text="Swifts!").locator(".picture").first.click()
        viewer = page.locator("dialog.viewer")
        await expect(viewer.locator("img")).to_be_visible()
        await expect(viewer.locator(".viewer-caption")).to_have_text("Swifts!")
        await settled(page)
        check(not await serious(page), "axe: serious")
        await shot(page, "desktop-light-viewer")
        place = await viewer.locator("[role=status]").inner_text()
        await page.keyboard.press("ArrowRight")
        await expect(viewer.locator("[role=status]")).not_to_have_text(place)
        await page.keyboard.press("+")
        await expect(viewer.locator(".viewer-area.zoomed")).to_be_visible()
        await page.keyboard.press("0")
        await viewer.get_by_role("button", name="Reply").click()
        await expect(page.locator(".composer-context")).to_contain_text("Reply to")
        await page.keyboard.press("Escape")
        await expect(page.locator(".composer-context")).to_be_hidden()
    async with suite.case("all pictures by month, all files, and from there to their place"):
        await go(page, site.url + chat(BO, "details"))
        await page.get_by_role("button", name="Pictures and files").click()
        sheet = page.locator("dialog.sheet")
        await expect(sheet.locator(".gallery-grid button")).to_have_count(9)
        await settled(page)
        check(await sheet.locator("h4").count() >= 2, "no months")
        check(not await serious(page), "axe: serious")
        await shot(page, "desktop-light-gallery")
        await sheet.get_by_role("radio", name="Files").click()
        await expect(sheet.locator(".file", has_text="programme.pdf")).to_be_visible()
        await sheet.locator("li", has_text="programme.pdf").get_by_role("button", name="Show in the chat").click()
        await page.locator(".message.flash", has_text="The programme").wait_for()
    async with suite.case("no page threw anything"):
        check(not someone.faults, str(someone.faults))
    await someone.close()
    await voice(suite, browser, site)


async def voice(suite, browser, site):
    phone, page = await opened(site, browser, chat(BO), kind=PHONE)
    await phone.context.grant_permissions(["microphone"], origin=site.url)
    button = page.locator(".voice")
    async with suite.case("a voice note: tapped, recorded, sent; held and pulled aside it is given up"):
        before = len(site.uploads)
        await expect(button).to_be_visible()
        await button.focus()
        await page.keyboard.press("Enter")
        await expect(page.locator(".voice-time")).to_have_text("0:01")
        check(not await serious(page), "axe: serious")
        check(not await overflow(page), "too wide")
        SHOTS.mkdir(parents=True, exist_ok=True)
        await page.screenshot(path=SHOTS / "phone-light-voice.png")
        await page.get_by_role("button", name="Send the recording").click()
        await expect(page.locator(".message.own audio").last).to_be_visible()
        await becomes(lambda: len(site.uploads) == before + 1, "it was not uploaded")
        sent = list(site.uploads.values())[-1]
        check(sent["name"].startswith("voice-") and sent["type"].startswith("audio/") and sent["size"] > 500, str(sent))
        await expect(page.locator(".voice-bar")).to_have_count(0)
        box = await button.bounding_box()
        x, y = box["x"] + 20, box["y"] + 20
        await page.mouse.move(x, y)
        await page.mouse.down()
        await expect(page.locator(".voice-bar")).to_be_visible()
        await page.mouse.move(x - 120, y, steps=5)
        await expect(page.locator(".voice-bar")).to_have_count(0)
        await page.mouse.up()
        await settled(page)
        check(len(site.uploads) == before + 1, "a recording that was given up was sent")
    await phone.close()
