// A light on a rock in a fog: hardly a colour, one long beam, a slow sea.

import { add, blend, createGradient, hex, mixRgb, set, smooth } from '../engine/colour.ts'
import { compose, illuminate } from '../engine/compose.ts'
import { birds } from '../engine/figures.ts'
import { castShadows, createMap, direction, openness, sampleMap } from '../engine/heightmap.ts'
import { createNoise, createRandom, type Noise } from '../engine/noise.ts'
import { addGlow, bloom, type Picture } from '../engine/picture.ts'
import { type Scene, type Size, svg } from '../engine/scene.ts'
import { createRock, sampleTile } from '../engine/tiles.ts'
import { createView, type Ground } from '../engine/view.ts'

/** The lantern, in the units of the frame. */
const lantern = { x: 1052, y: 322 }

export const hallowNess: Scene = {
  slug: 'hallow-ness',
  palette: ['#1c2a30', '#4a5f66', '#85989b', '#b9c4c1', '#f3e6bf'],
  ink: 'light',
  draw(inner, full) {
    const noise = createNoise('hallow-rock-2')
    const fog = createNoise('hallow-fog')
    const view = createView(inner.width, inner.height, { height: 13, focal: 1.05, horizon: 0.64 })
    const sun = direction(-120, 50)
    const land = createMap(800, 900, 40, (x, z) => {
      const wx = x + noise.fbm(x / 40, z / 40, 3) * 16
      const wz = z + noise.fbm(x / 40 + 9, z / 40, 3) * 16
      const main = smooth(1, 0.25, Math.hypot((wx - 62) / 92, (wz - 350) / 64)) * 43
      const tail = smooth(1, 0.2, Math.hypot((wx - 150) / 70, (wz - 368) / 44)) * 25
      const low = smooth(1, 0.3, Math.hypot((wx + 36) / 50, (wz - 330) / 30)) * 9
      const near = smooth(1, 0.35, Math.hypot((wx + 70) / 34, (wz - 125) / 16)) * 7.5
      const crag = noise.ridged(x / 46, z / 46, 5) * 9 - 6
      const swell = noise.fbm(x / 34, z / 13, 4, 0.5) * 0.55
      const rock = Math.max(main, tail, low, near)
      return rock > 0.3 ? rock + crag * Math.min(1, rock / 8) - 1.5 : -3 + swell
    })
    const light = {
      sun,
      sunlight: hex('#dfe6e4', 1.1),
      skylight: hex('#a9bac0', 0.8),
      shadows: castShadows(land, sun, 0.4, 400),
      open: openness(land, 12, 1.2),
    }
    const rock = createRock(noise, 34)
    const stone = hex('#545a58')
    const black = hex('#1d2425')
    const turf = hex('#5c6748')
    const ground: Ground = {
      near: 44,
      far: 900,
      level: 0,
      step: 0.0014,
      height(x, z) {
        const base = sampleMap(land, x, z)
        return base < 0 ? base : base + sampleTile(rock, x, z) * Math.min(2.4, 0.6 + base * 0.1)
      },
      shade(at, out) {
        const rough = sampleTile(rock, at.x + at.y * 0.3, at.z)
        const crack = noise.fbm(at.x / 5 + at.y / 9, at.y / 3.5 + at.z / 9, 3)
        set(out, mixRgb(black, stone, 0.5 + rough * 0.4 + crack * 0.35))
        blend(out, turf, smooth(0.62, 0.85, at.ny + crack * 0.15) * smooth(16, 24, at.y))
        blend(out, black, smooth(6, 1.5, at.y + crack * 2) * 0.75)
        illuminate(light, at, out)
        add(out, hex('#ffffff'), smooth(1.5, 0.1, at.y + crack) * 0.22)
      },
      hazes: [
        { colour: hex('#9fb0b3'), density: 0.0014, fall: 400, sun: hex('#d8d6bf') },
        { colour: hex('#b4c0c0'), density: 0.004, fall: 7, max: 0.55 },
      ],
      spot: { x: lantern.x / 1600, y: -0.2, size: 0.22 },
    }
    const grey = createGradient([
      [0, '#a7b6b8'],
      [0.25, '#9dafb3'],
      [0.6, '#82979e'],
      [1, '#61767f'],
    ])
    compose({
      view,
      ground,
      noise,
      sky(u, v, out) {
        grey(v / 0.42, out)
        const bank = fog.fbm(u * 2.2, v * 6 + 2, 5, 0.52)
        blend(out, hex('#c3cccb'), smooth(-0.3, 0.7, bank) * 0.34)
        const glow = Math.exp(-Math.hypot(u - lantern.x / 1600, v - 0.2) / 0.16)
        add(out, hex('#e8d9a8'), glow * 0.2)
      },
      water: {
        roughness: 0.035,
        wavelength: 11,
        mirror: 0.1,
        body: (_depth, _x, _z, out) => set(out, hex('#2f474d')),
        after(x, z, depth, out, slope) {
          add(out, hex('#c9d6d6'), smooth(0.32, 0.7, slope) * 0.22)
          const froth = noise.fbm(x / 6, z / 3, 3)
          blend(out, hex('#dfe7e6'), smooth(2.7, 0.8, depth + froth * 1.4) * 0.6 * smooth(-0.35, 0.35, froth))
        },
      },
    })
    const shaft = inner.width / 1600
    beam(view.picture, fog, lantern.x * shaft, lantern.y * shaft)
    addGlow(view.picture, lantern.x * shaft, lantern.y * shaft, 40 * shaft, hex('#ffeeb8'), 0.5)
    addGlow(view.picture, lantern.x * shaft, lantern.y * shaft, 150 * shaft, hex('#f6e2a6'), 0.22)
    bloom(view.picture, 0.8, 0.5, 0.03)
    return { picture: view.picture, overlays: tower(full), finish: { exposure: 1.0, grain: 9, vignette: 0.42 } }
  },
}

/** Two cones of lit fog from the lantern, brighter where the fog is thick. */
function beam(picture: Picture, fog: Noise, x0: number, y0: number): void {
  const { width, height, rgb } = picture
  const warm = hex('#fff0bf')
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const dx = (x - x0) / width
      const dy = (y - y0) / width
      const far = Math.hypot(dx, dy)
      const left = Math.abs(Math.atan2(dy + 0.0, -dx) - 0.055) / 0.05
      const right = Math.abs(Math.atan2(-dy, dx) - 0.06) / 0.042
      const cone =
        Math.exp(-(left ** 2.4)) * Math.exp(-far / 0.42) + 0.55 * Math.exp(-(right ** 2.4)) * Math.exp(-far / 0.22)
      if (cone < 0.004) continue
      const drift = 0.72 + 0.5 * fog.fbm((x / width) * 7, (y / width) * 16, 4)
      const at = (y * width + x) * 3
      for (let c = 0; c < 3; c++) rgb[at + c]! += warm[c]! * cone * drift * 0.62
    }
  }
}

function tower(full: Size) {
  const { x, y } = lantern
  const body =
    `<linearGradient id="wall"><stop offset="0" stop-color="#e6e6de"/><stop offset=".45" stop-color="#c3c8c5"/><stop offset="1" stop-color="#828e90"/></linearGradient>` +
    `<linearGradient id="band"><stop offset="0" stop-color="#a5584c"/><stop offset=".5" stop-color="#864a44"/><stop offset="1" stop-color="#5b4345"/></linearGradient>` +
    `<linearGradient id="mist" x2="0" y2="1"><stop offset="0" stop-color="#a9b8ba" stop-opacity=".12"/><stop offset="1" stop-color="#a9b8ba" stop-opacity=".5"/></linearGradient>`
  const shape = `M${x - 15} ${y + 16}L${x - 25} ${y + 176}H${x + 25}L${x + 15} ${y + 16}Z`
  const drawn = `<path d="${shape}" fill="url(#wall)"/><path d="M${x - 18.2} ${y + 66}L${x - 21.2} ${y + 114}H${x + 21.2}L${x + 18.2} ${y + 66}Z" fill="url(#band)"/>
<path d="M${x - 21} ${y + 11}H${x + 21}V${y + 17}H${x - 21}Z" fill="#4d5759"/><path d="M${x - 20} ${y + 11}V${y + 3}M${x - 13} ${y + 11}V${y + 3}M${x + 13} ${y + 11}V${y + 3}M${x + 20} ${y + 11}V${y + 3}M${x - 21} ${y + 3}H${x + 21}" stroke="#4d5759" stroke-width="1.2"/>
<path d="M${x - 10} ${y + 11}V${y - 11}H${x + 10}V${y + 11}Z" fill="#fff3c9"/><path d="M${x - 13} ${y - 10}Q${x} ${y - 31} ${x + 13} ${y - 10}Z" fill="#6b3f3c"/><path d="M${x} ${y - 24}V${y - 38}" stroke="#4d5759" stroke-width="1.6"/>
<path d="M${x - 3} ${y + 48}h6v9h-6ZM${x - 3} ${y + 132}h6v9h-6Z" fill="#3c474a"/><path d="M${x + 40} ${y + 176}v-20l17 -12 17 12v20Z" fill="#a9b0ad"/><path d="M${x + 37} ${y + 158}l20 -16 20 16Z" fill="#5d5354"/>
<path d="${shape}" fill="url(#mist)"/>`
  const glow = `<circle cx="${x}" cy="${y}" r="46" fill="url(#lens)"/>`
  const lens =
    '<radialGradient id="lens"><stop offset="0" stop-color="#fffbe6"/><stop offset=".22" stop-color="#fff0bd" stop-opacity=".85"/><stop offset="1" stop-color="#ffe6a0" stop-opacity="0"/></radialGradient>'
  const petrels = birds(createRandom('hallow-petrels'), 760, 470, 8, 6, '#5d7076')
  return [{ svg: svg(full, drawn + petrels, body) }, { svg: svg(full, glow, lens), blend: 'screen' as const }]
}
