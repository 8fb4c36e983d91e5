// Two hundred islands from the air at noon: jade shallows, white sand, a few sails.

import { add, blend, clamp, createGradient, hex, mixRgb, set, smooth } from '../engine/colour.ts'
import { compose, illuminate } from '../engine/compose.ts'
import { castShadows, createMap, direction, openness, sampleMap } from '../engine/heightmap.ts'
import { createNoise, createRandom } from '../engine/noise.ts'
import { bloom } from '../engine/picture.ts'
import { n, type Scene, type Size, svg } from '../engine/scene.ts'
import { createCrowns, createRock, sampleTile } from '../engine/tiles.ts'
import { createView, type Ground, type View } from '../engine/view.ts'

export const mirabelos: Scene = {
  slug: 'mirabelos',
  palette: ['#0b3f5c', '#137a92', '#3fb9b4', '#a9ddc9', '#f6ecd4'],
  ink: 'light',
  draw(inner, full) {
    const noise = createNoise('mirabelos-sea-4')
    const view = createView(inner.width, inner.height, { height: 640, focal: 0.8, horizon: 0.17 })
    const sun = direction(-70, 44)
    const land = createMap(1000, 17000, 300, (x, z) => {
      const wx = x + noise.fbm(x / 700, z / 700, 4) * 300
      const wz = z + noise.fbm(x / 700 + 50, z / 700, 4) * 300
      const mass = noise.fbm(wx / 1900 + 5, wz / 1500 + 2, 5, 0.52) + noise.at(wx / 5200 + 3, wz / 5200) * 0.28
      const shelf = (mass - 0.22) * 260
      if (shelf < 0) return shelf * 0.42
      return shelf < 7 ? shelf * 0.5 : 3.5 + (shelf - 7) * (1.0 + noise.ridged(wx / 600, wz / 600, 4) * 1.5)
    })
    const light = {
      sun,
      sunlight: hex('#fff0d6', 2.2),
      skylight: hex('#8fbfe6', 0.75),
      shadows: castShadows(land, sun, 0.2, 500),
      open: openness(land, 120, 1.5),
    }
    const rock = createRock(noise, 260)
    const bush = createCrowns(createRandom('mirabelos-bush'), 300, 40, 1.8)
    const blue = createGradient([
      [0, '#e9f2ee'],
      [0.15, '#cfe6ee'],
      [0.5, '#8fc7e6'],
      [1, '#4f9fd2'],
    ])
    const water = createGradient([
      [0, '#d9efd9'],
      [0.05, '#a4e0cb'],
      [0.14, '#57cbbf'],
      [0.3, '#1fa3ae'],
      [0.55, '#117a9a'],
      [1, '#0a4f7d'],
    ])
    const dry = hex('#b3a471')
    const scrub = hex('#4d6138')
    const pine = hex('#2c4a30')
    const cliff = hex('#d8c7a6')
    const beach = hex('#f7ead0')
    const foam = hex('#ffffff')
    const ground: Ground = {
      near: 420,
      far: 17300,
      level: 0,
      step: 0.002,
      height(x, z, distance) {
        const base = sampleMap(land, x, z)
        if (base < 1.5 || distance > 9000) return base
        const rough = sampleTile(rock, x, z) * Math.min(7, base * 0.22)
        return base + rough + sampleTile(bush.heights, x, z) * 6 * smooth(5, 14, base + rough * 3)
      },
      shade(at, out) {
        const base = sampleMap(land, at.x, at.z)
        const rough = sampleTile(rock, at.x, at.z)
        const tone = sampleTile(bush.heights, at.x, at.z)
        set(out, mixRgb(dry, scrub, clamp(0.45 + rough * 0.5 + noise.at(at.x / 240, at.z / 240) * 0.5)))
        blend(out, pine, smooth(0.25, 0.6, tone) * smooth(5, 14, base + rough * 8))
        blend(out, cliff, smooth(0.72, 0.5, at.ny))
        blend(out, beach, smooth(6.5, 3, at.y + rough * 1.6))
        illuminate(light, at, out)
      },
      hazes: [{ colour: hex('#cfe3ea'), density: 0.000055, fall: 1800 }],
    }
    const white = hex('#ffffff')
    compose({
      view,
      ground,
      noise,
      sky(u, v, out) {
        blue(v / 0.14, out)
        const puff = smooth(
          0.02,
          0.5,
          noise.fbm(u * 9, v * 34 + 3, 6, 0.55) + smooth(0.06, 0.01, v) * 0.12 - smooth(0.02, 0.12, v) * 0.2,
        )
        blend(out, white, puff * 0.85 * smooth(0, 0.012, v))
      },
      water: {
        roughness: 0.02,
        wavelength: 60,
        mirror: 0.03,
        body: (depth, x, z, out) => water((depth / 62) ** 0.75 + noise.at(x / 400, z / 400) * 0.02, out),
        after(x, z, depth, out, slope) {
          const shadow = smooth(0.1, 0.6, noise.fbm(x / 900 + 3, z / 700, 3))
          for (let c = 0; c < 3; c++) out[c]! *= 1 - shadow * 0.16
          add(out, white, Math.max(0, slope - 0.12) * 0.06)
          const edge = smooth(0.9, 0.1, depth + noise.at(x / 16, z / 16) * 0.5)
          blend(out, foam, edge * 0.7)
        },
      },
    })
    bloom(view.picture, 0.95, 0.25, 0.015)
    return {
      picture: view.picture,
      overlays: [sails(view, full)],
      finish: { exposure: 1, grain: 4, saturation: 1.08, vignette: 0.2 },
    }
  },
}

function sails(view: View, full: Size) {
  const random = createRandom('mirabelos-sails')
  let content = ''
  let placed = 0
  for (let tries = 0; tries < 400 && placed < 11; tries++) {
    const u = 0.05 + random() * 0.9
    const y = 0.24 + random() ** 1.4 * 0.62
    const pixel = Math.floor(y * view.height) * view.width + Math.floor(u * view.width)
    if (view.under[pixel]! < 9) continue
    const h = 9000 / view.depth[pixel]!
    placed++
    const [x, top] = [u * 1600, y * 1000]
    const wake = `<path d="M${n(x - h * 0.3)} ${n(top)}L${n(x - h * 5)} ${n(top + h * 0.75)}L${n(x - h * 4.4)} ${n(top + h * 1.1)}Z" fill="#fff" opacity=".28"/>`
    const shade = `<path d="M${n(x)} ${n(top)}L${n(x + h * 0.5)} ${n(top + h * 0.45)}L${n(x + h * 0.1)} ${n(top + h * 0.3)}Z" fill="#063b57" opacity=".35"/>`
    content += `${wake}${shade}<path d="M${n(x - h * 0.45)} ${n(top)}L${n(x + h * 0.5)} ${n(top)}L${n(x + h * 0.3)} ${n(top + h * 0.16)}L${n(x - h * 0.3)} ${n(top + h * 0.16)}Z" fill="#5b3b2c"/><path d="M${n(x)} ${n(top - h * 1.25)}L${n(x + h * 0.05)} ${n(top - h * 0.05)}L${n(x - h * 0.48)} ${n(top - h * 0.05)}Z" fill="#fff"/><path d="M${n(x + h * 0.08)} ${n(top - h * 1.1)}L${n(x + h * 0.08)} ${n(top - h * 0.05)}L${n(x + h * 0.48)} ${n(top - h * 0.08)}Z" fill="#f3e9da"/>`
  }
  return { svg: svg(full, content) }
}
