// A narrow fjord before sunrise: two walls, still water, a few lit windows and the mail boat.
import { add, blend, createGradient, hex, mixRgb, set, smooth } from '../engine/colour.ts'
import { compose, illuminate } from '../engine/compose.ts'
import { erode } from '../engine/erosion.ts'
import { lamp, lampGradient } from '../engine/figures.ts'
import { castShadows, createMap, direction, openness, sampleMap } from '../engine/heightmap.ts'
import { createNoise, createRandom } from '../engine/noise.ts'
import { bloom } from '../engine/picture.ts'
import { type Scene, svg } from '../engine/scene.ts'
import { cover, deck, halo, type PaintSky } from '../engine/sky.ts'
import { createCrowns, createRock, sampleTile } from '../engine/tiles.ts'
import { createView, type Ground } from '../engine/view.ts'

export const skarnvik: Scene = {
  slug: 'skarnvik',
  palette: ['#16262f', '#3b5a66', '#7f9aa0', '#e8b18f', '#f9e3c4'],
  ink: 'light',
  draw(inner, full) {
    const noise = createNoise('skarnvik-ground')
    const clouds = createNoise('skarnvik-sky')
    const view = createView(inner.width, inner.height, { height: 70, focal: 0.82, horizon: 0.56 })
    const sun = direction(14, 5)
    const light = direction(58, 24)

    const land = createMap(760, 15000, 100, (x, z) => {
      const bend = 520 * Math.sin(z / 2300 + 0.6) - 150 + noise.fbm(z / 1500, 4.2, 2) * 260
      const far = smooth(7600, 10500, z)
      const half = 520 + noise.at(z / 1300, 9) * 170 - far * 520
      const away = (Math.abs(x - bend) - half + noise.fbm(x / 700, z / 700, 4) * 190) / 1500
      if (away < 0) return far > 0.98 ? 60 : -70
      const crest = noise.ridged(x / 3100 + 3, z / 3100, 7, 0.52)
      const wall = smooth(0, 1, Math.min(1, away * 1.25)) ** 0.72
      return wall * (620 + crest * 1500) * (0.8 + far * 0.5) + 4
    })
    erode(land, createRandom('skarnvik-rain'), { drops: 50000, steps: 36 })
    const glow = {
      sun: light,
      sunlight: hex('#ffb47c', 2.9),
      skylight: hex('#7d9cb8', 0.8),
      shadows: castShadows(land, light),
      open: openness(land, 420, 2.4),
    }
    const rock = createRock(noise, 380)
    const wood = createCrowns(createRandom('skarnvik-wood'), 420, 42, 1.1)

    const horizon = createGradient([
      [0, '#fbd9b0'],
      [0.1, '#f6c3a0'],
      [0.24, '#dcb3a6'],
      [0.45, '#a6aeb8'],
      [0.75, '#6d8ba3'],
      [1, '#48687f'],
    ])
    const sunU = 0.5 + (sun.x / sun.z) * 0.82
    const warm = hex('#ffcf9a')
    const cloudLit = hex('#ffd9bd')
    const cloudDark = hex('#6d7f90')
    const paint: PaintSky = (u, v, out) => {
      horizon(v / 0.56, out)
      add(out, warm, halo(u, v, sunU, 0.05, 0.16) * 0.4)
      const at = deck(u, v)
      const warp = clouds.fbm(at.x * 0.5, at.y * 0.5, 3)
      const thick = cover(clouds.fbm(at.x * 0.55 + warp * 0.7, at.y * 1.1 + warp * 0.5, 6, 0.55), 0.52, 0.22)
      const near = Math.exp(-Math.hypot(u - sunU, v - 0.08) / 0.3)
      const colour = mixRgb(cloudDark, cloudLit, Math.min(1, 0.15 + near * 1.1))
      blend(out, colour, thick * smooth(0.01, 0.12, v) * 0.75)
    }

    const treeLow = hex('#16251f')
    const treeHigh = hex('#31463a')
    const stone = hex('#5d6a72')
    const stoneDark = hex('#2c3942')
    const moss = hex('#46543f')
    const snow = hex('#e6ecf2')
    const ground: Ground = {
      near: 160,
      far: 15000,
      level: 0,
      step: 0.0022,
      height(x, z, distance) {
        const base = sampleMap(land, x, z)
        if (base < -5) return base
        const rough = sampleTile(rock, x + z * 0.3, z) * (14 + base * 0.012)
        if (distance > 7000 || base > 560) return base + rough
        const woods = smooth(560, 240, base + rough * 6) * smooth(0, 14, base)
        return base + rough * 0.8 + sampleTile(wood.heights, x, z) * 15 * woods
      },
      shade(at, out) {
        const base = sampleMap(land, at.x, at.z)
        const rough = sampleTile(rock, at.x + at.z * 0.3, at.z)
        const woods = smooth(560, 240, base + rough * 80) * smooth(2, 14, base) * smooth(0.18, 0.4, at.ny)
        set(out, mixRgb(stoneDark, stone, 0.5 + rough * 0.5))
        blend(out, moss, smooth(0.45, 0.8, at.ny) * smooth(1100, 500, base))
        const tone = sampleTile(wood.heights, at.x, at.z)
        blend(out, mixRgb(treeLow, treeHigh, tone), woods)
        const cold = smooth(780, 1150, base + rough * 160) * smooth(0.28, 0.6, at.ny + rough * 0.12)
        blend(out, snow, cold)
        illuminate(glow, at, out)
      },
      hazes: [
        { colour: hex('#8fa9bf'), density: 0.000055, fall: 900, sun: hex('#f2c3a4') },
        { colour: hex('#c9ccd2'), density: 0.00014, fall: 60, sun: hex('#ffdcb4'), max: 0.7 },
      ],
      spot: { x: sunU, y: -0.03, size: 0.2 },
    }

    const deep = hex('#12262c')
    compose({
      view,
      ground,
      noise,
      sky: paint,
      water: {
        roughness: 0.006,
        wavelength: 34,
        mirror: 0.22,
        body: (_depth, _x, _z, out) => set(out, deep),
        tint: [0.86, 0.9, 0.92],
      },
    })
    bloom(view.picture, 0.85, 0.5, 0.03)
    return { picture: view.picture, overlays: [village(full)], finish: { exposure: 1.22, grain: 6 } }
  },
}

function village(full: { width: number; height: number }) {
  const lights = [
    [792, 607, 5],
    [803, 604, 4],
    [818, 606, 5],
    [829, 603, 4],
  ]
  const content = lights.map(([x, y, r]) => lamp('warm', x!, y!, r! * 2.4)).join('')
  return { svg: svg(full, content, lampGradient('warm', '#fff3d0', '#ffb45e')), blend: 'screen' as const }
}
