// SPDX-License-Identifier: Apache-2.0
// Which part of a picture becomes the avatar: moved by finger, pointer or keys, made larger by the slider.
import { h, loadStyle, t } from "../ui/basics.js";
import { fieldOf } from "../ui/forms.js";
import { showSheet } from "../ui/overlay.js";

await loadStyle("media");

const SIDE = 256;
const VIEW = 280;
const LARGEST = 4;
const STEP = 10;

/** Shows the picture in a square; resolves with the part that was chosen as a small JPEG, without what the camera wrote. */
export async function cutSquare(file) {
  const picture = await createImageBitmap(file, { imageOrientation: "from-image" });
  return showSheet(t("profile.cut"), (body, close) => {
    const canvas = h("canvas.cutter", { width: String(VIEW), height: String(VIEW), tabindex: "0", role: "img", "aria-label": t("profile.cut-hint") });
    const place = { scale: 1, x: 0, y: 0 };
    const fit = VIEW / Math.min(picture.width, picture.height);
    const paint = (target, side) => {
      const context = target.getContext("2d");
      const ratio = side / VIEW;
      const [width, height] = [picture.width * fit * place.scale, picture.height * fit * place.scale];
      place.x = Math.min((width - VIEW) / 2, Math.max((VIEW - width) / 2, place.x));
      place.y = Math.min((height - VIEW) / 2, Math.max((VIEW - height) / 2, place.y));
      context.fillStyle = "#fff";
      context.fillRect(0, 0, side, side);
      context.drawImage(picture, ((VIEW - width) / 2 + place.x) * ratio, ((VIEW - height) / 2 + place.y) * ratio, width * ratio, height * ratio);
    };
    const draw = () => paint(canvas, VIEW);
    const size = h("input", { type: "range", min: "1", max: String(LARGEST), step: "0.05", value: "1", "aria-label": t("profile.cut-size"), input: () => { place.scale = Number(size.value); draw(); } });
    let from = null;
    canvas.addEventListener("pointerdown", (event) => { from = event; canvas.setPointerCapture(event.pointerId); });
    canvas.addEventListener("pointermove", (event) => {
      if (!from) return;
      place.x += event.clientX - from.clientX;
      place.y += event.clientY - from.clientY;
      from = event;
      draw();
    });
    for (const end of ["pointerup", "pointercancel"]) canvas.addEventListener(end, () => { from = null; });
    canvas.addEventListener("keydown", (event) => {
      const move = { ArrowLeft: [STEP, 0], ArrowRight: [-STEP, 0], ArrowUp: [0, STEP], ArrowDown: [0, -STEP] }[event.key];
      if (!move) return;
      event.preventDefault();
      place.x += move[0];
      place.y += move[1];
      draw();
    });
    const done = async () => {
      const result = new OffscreenCanvas(SIDE, SIDE);
      paint(result, SIDE);
      close(await result.convertToBlob({ type: "image/jpeg", quality: 0.85 }));
    };
    body.append(canvas, fieldOf(t("profile.cut-size"), size),
      h("div.buttons", h("button.button.quiet", () => close(), t("action.cancel")), h("button.button", done, t("action.save"))));
    draw();
  });
}
