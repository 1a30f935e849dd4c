// SPDX-License-Identifier: Apache-2.0
// XEP-0392: the same person has the same colour in every client. The hue comes from the SHA-1 of the address; the
// browser's own digest answers later and only on secure origins, so the sixty lines are here.

function sha1(bytes) {
  const length = bytes.length;
  const words = new Uint32Array((((length + 8) >> 6) + 1) * 16);
  for (let i = 0; i < length; i++) words[i >> 2] |= bytes[i] << (24 - (i % 4) * 8);
  words[length >> 2] |= 0x80 << (24 - (length % 4) * 8);
  words[words.length - 1] = length * 8;
  const turn = (value, bits) => (value << bits) | (value >>> (32 - bits));
  let state = [0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0];
  const w = new Uint32Array(80);
  for (let block = 0; block < words.length; block += 16) {
    let [a, b, c, d, e] = state;
    for (let i = 0; i < 80; i++) {
      w[i] = i < 16 ? words[block + i] : turn(w[i - 3] ^ w[i - 8] ^ w[i - 14] ^ w[i - 16], 1);
      let mix;
      if (i < 20) mix = ((b & c) | (~b & d)) + 0x5a827999;
      else if (i < 40) mix = (b ^ c ^ d) + 0x6ed9eba1;
      else if (i < 60) mix = ((b & c) | (b & d) | (c & d)) + 0x8f1bbcdc;
      else mix = (b ^ c ^ d) + 0xca62c1d6;
      const next = (turn(a, 5) + mix + e + w[i]) | 0;
      [e, d, c, b, a] = [d, c, turn(b, 30), a, next];
    }
    state = [a, b, c, d, e].map((value, i) => (value + state[i]) | 0);
  }
  return state.map((value) => value >>> 0);
}

const known = new Map();

/** The angle of a text's colour, 0 to 360 (XEP-0392 §5.1). */
export function hue(text) {
  let angle = known.get(text);
  if (angle === undefined) {
    const first = sha1(new TextEncoder().encode(text))[0] >>> 16;
    // The first two bytes, the least significant first.
    angle = ((((first & 0xff) << 8) | (first >> 8)) / 65_536) * 360;
    if (known.size > 5000) known.clear();
    known.set(text, angle);
  }
  return angle;
}
