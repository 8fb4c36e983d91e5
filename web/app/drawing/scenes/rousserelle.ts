// The eleven days: maples from lemon to blood on both sides of a lake that takes a copy; a green canoe.

import { add, blend, createGradient, hex, mixRgb, type Rgb, set, smooth } from '../engine/colour.ts'
import { compose, illuminate } from '../engine/compose.ts'
import { castShadows, createMap, direction, openness, sampleMap } from '../engine/heightmap.ts'
import { createNoise, createRandom } from '../engine/noise.ts'
import { bloom } from '../engine/picture.ts'
import { type Scene, type Size, svg } from '../engine/scene.ts'
import { createCrowns, createRock, sampleTile } from '../engine/tiles.ts'
import { createView, type Ground } from '../engine/view.ts'

export const rousserelle: Scene = {
  slug: 'rousserelle',
  palette: ['#2d1f1c', '#7b2f1e', '#c9501f', '#ea9a2e', '#f7dc8f'],
  ink: 'light',
  draw(inner, full) {
    const noise = createNoise('rousserelle-2')
    const view = createView(inner.width, inner.height, { height: 9, focal: 1.0, horizon: 0.5 })
    const sun = direction(-58, 24)
    const land = createMap(700, 5200, 60, (x, z) => {
      const left = -120 - z * 0.2 + noise.fbm(z / 260, 2, 3) * 60 + smooth(190, 20, Math.abs(z - 640)) * 150
      const right = 190 + z * 0.16 + noise.fbm(z / 300, 8, 3) * 70 - smooth(260, 20, Math.abs(z - 980)) * 250
      const far = 1350 + noise.fbm(x / 400, 5, 2) * 120
      const inland = Math.max(left - x, x - right, (z - far) * 0.8)
      if (inland < 0) return Math.max(-6, inland * 0.2)
      const rise = smooth(0, 900, inland) * (150 + noise.fbm(x / 700, z / 700, 4) * 110)
      const back = smooth(1700, 4200, z) * (260 + noise.ridged(x / 1900, z / 1900, 4) * 330)
      return 0.4 + Math.min(3, inland * 0.1) + rise + back
    })
    const light = {
      sun,
      sunlight: hex('#ffdba0', 2.5),
      skylight: hex('#93a9c4', 0.62),
      bounce: hex('#d98a3a', 0.12),
      shadows: castShadows(land, sun, 0.2, 420),
      open: openness(land, 130, 1.2),
    }
    const rock = createRock(noise, 210)
    const wood = createCrowns(createRandom('rousserelle-maples'), 200, 26, 1.8)
    const fir = createCrowns(createRandom('rousserelle-firs'), 270, 20, 1.05)
    const leaves: Rgb[] = ['#8c1f16', '#b9341a', '#d65a1c', '#e6861f', '#eeb02f', '#c9961f', '#7c8a2c', '#d2451a'].map(
      (colour) => hex(colour),
    )
    const spruce = hex('#1b2f24')
    const bank = hex('#6a5a3c')
    const firs = createMap(500, 5200, 60, (x, z) => smooth(0.28, 0.42, noise.fbm(x / 130 + 40, z / 130, 3)))
    const firShare = (x: number, z: number) => sampleMap(firs, x, z)
    const ground: Ground = {
      near: 75,
      far: 5200,
      level: 0,
      step: 0.0018,
      height(x, z) {
        const base = sampleMap(land, x, z)
        if (base < 0) return base
        const rough = sampleTile(rock, x, z)
        const grown = smooth(0.7, 2.6, base + rough * 0.6)
        const maple = sampleTile(wood.heights, x, z) * 13
        const needle = sampleTile(fir.heights, x, z) * 21
        const share = firShare(x, z)
        return (
          base +
          rough * 1.5 * grown +
          (share < 0.5 ? Math.max(maple, needle * 0.45) : Math.max(needle, maple * 0.8)) * grown
        )
      },
      shade(at, out) {
        const base = sampleMap(land, at.x, at.z)
        const share = firShare(at.x, at.z)
        const tint = sampleTile(wood.tints, at.x, at.z)
        const drift = noise.fbm(at.x / 160, at.z / 160, 2) * 2.6
        const pick = Math.min(7, Math.max(0, Math.floor(tint * 6 + drift + 0.8)))
        set(out, leaves[pick]!)
        const fine = noise.at(at.x * 0.9 + at.y * 0.5, at.z * 0.9 + at.y * 0.8)
        for (let c = 0; c < 3; c++) out[c]! *= 1 + fine * 0.4
        if (share >= 0.5 && sampleTile(fir.heights, at.x, at.z) * 21 > sampleTile(wood.heights, at.x, at.z) * 10)
          set(out, spruce)
        blend(out, bank, smooth(1.6, 0.5, at.y))
        const deep = smooth(0, 9, at.y - base)
        illuminate(light, at, out, 0.15)
        for (let c = 0; c < 3; c++) out[c]! *= 0.42 + 0.62 * deep
      },
      hazes: [
        { colour: hex('#b4bccb'), density: 0.00008, fall: 700, sun: hex('#f3d9ae') },
        { colour: hex('#e6dfd4'), density: 0.0007, fall: 9, sun: hex('#ffe9c0'), max: 0.7 },
      ],
      spot: { x: 0.05, y: -0.05, size: 0.5 },
    }
    const air = createGradient([
      [0, '#f4e6cd'],
      [0.2, '#dfe0dc'],
      [0.55, '#a9c3da'],
      [1, '#6a9ac8'],
    ])
    const white = hex('#fff6e8')
    const grey = hex('#b9bfcb')
    compose({
      view,
      ground,
      noise,
      sky(u, v, out) {
        air(v / 0.33, out)
        const a = noise.fbm(u * 4.2 + 2, v * 12, 6, 0.54)
        const b = noise.fbm(u * 4.2 + 1.95, v * 12 + 0.16, 5, 0.54)
        const thick = smooth(0.05, 0.55, a) * smooth(0.02, 0.12, v)
        blend(out, mixRgb(grey, white, Math.min(1, Math.max(0, 0.6 + (a - b) * 1.5))), thick * 0.8)
        add(out, hex('#ffdf9c'), Math.exp(-u / 0.3) * Math.exp(-v / 0.12) * 0.22)
      },
      water: {
        roughness: 0.0045,
        wavelength: 3.4,
        mirror: 0.5,
        body: (_depth, _x, _z, out) => set(out, hex('#1d1a18')),
        tint: [0.86, 0.84, 0.84],
      },
    })
    bloom(view.picture, 0.9, 0.25, 0.02)
    return { picture: view.picture, overlays: [canoe(full)], finish: { exposure: 1.0, grain: 6, saturation: 1.06 } }
  },
}

function canoe(full: Size) {
  const hull =
    'M-70 -15Q-64 -3 -56 2Q-30 7 0 7Q30 7 56 2Q64 -3 70 -15Q60 -7 46 -5Q20 -2 0 -2Q-20 -2 -46 -5Q-60 -7 -70 -15Z'
  const figure =
    '<path d="M-14 -2L-12 -20Q-13 -30 -5 -32Q4 -32 5 -24L8 -2Z" fill="#6d2a22"/><circle cx="-4" cy="-38" r="5.6" fill="#2a1a16"/><path d="M-6 -28L22 -10L24 10L22 10L20 -8L-8 -24Z" fill="#2a1a16"/>'
  const one = `${figure}<path d="${hull}" fill="#28503c"/><path d="M-64 -10Q-40 -3 0 -1Q40 -3 64 -10" fill="none" stroke="#c9b27c" stroke-width="1.6"/>`
  return {
    svg: svg(
      full,
      `<g transform="translate(950 742) scale(.9 -.8)" opacity=".4">${one}</g><g transform="translate(950 730) scale(.9)">${one}</g><path d="M760 738Q860 734 885 733M1016 732Q1080 734 1190 742" stroke="#fff2d8" stroke-width="1" fill="none" opacity=".35"/>`,
    ),
  }
}
