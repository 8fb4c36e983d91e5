// Limestone towers standing in river mist, nearly without colour, with one raft.

import { add, blend, createGradient, hex, mixRgb, set, smooth } from '../engine/colour.ts'
import { compose, illuminate } from '../engine/compose.ts'
import { birds } from '../engine/figures.ts'
import { castShadows, createMap, direction, openness, sampleMap } from '../engine/heightmap.ts'
import { createNoise, createRandom, hashPair } from '../engine/noise.ts'
import { type Scene, type Size, svg } from '../engine/scene.ts'
import { halo } from '../engine/sky.ts'
import { createCrowns, createRock, sampleTile } from '../engine/tiles.ts'
import { createView, type Ground } from '../engine/view.ts'

type Tower = { x: number; z: number; radius: number; tall: number; long: number; turn: number }

/** Towers on both sides of a river that winds away; none in the water. */
function placeTowers(bend: (z: number) => number): Tower[] {
  const random = createRandom('moyun-towers-3')
  const towers: Tower[] = []
  for (let k = 0; k < 420; k++) {
    const z = 900 + random() ** 1.3 * 7600
    const x = (random() - 0.5) * (900 + z * 1.3)
    const radius = 55 + random() * 75 + z * 0.006
    const bank = Math.abs(x - bend(z))
    if (bank < radius * 0.95 + 120) continue
    if (towers.some((other) => Math.hypot(other.x - x, other.z - z) < (other.radius + radius) * 0.72)) continue
    towers.push({
      x,
      z,
      radius,
      tall: radius * (1.7 + random() ** 1.6 * 2.3),
      long: 0.75 + random() * 0.5,
      turn: random() * 3,
    })
  }
  return towers
}

export const moyun: Scene = {
  slug: 'moyun',
  palette: ['#22322f', '#52675f', '#8ea39a', '#c6d2c6', '#f1efe0'],
  ink: 'light',
  draw(inner, full) {
    const noise = createNoise('moyun-stone')
    const vapour = createNoise('moyun-mist')
    const view = createView(inner.width, inner.height, { height: 75, focal: 0.98, horizon: 0.6 })
    const sun = direction(38, 30)
    const bend = (z: number) => Math.sin(z / 640 + 0.5) * 150 * smooth(150, 900, z) + z * 0.05 - 10
    const towers = placeTowers(bend)
    const grid = new Map<number, Tower[]>()
    const cell = 400
    for (const tower of towers) {
      const reach = tower.radius * 1.9
      for (let j = Math.floor((tower.z - reach) / cell); j <= (tower.z + reach) / cell; j++) {
        for (let i = Math.floor((tower.x - reach) / cell); i <= (tower.x + reach) / cell; i++) {
          const key = i * 4096 + j
          grid.set(key, [...(grid.get(key) ?? []), tower])
        }
      }
    }
    const land = createMap(1150, 9000, 120, (x, z) => {
      const wx = x + noise.fbm(x / 90, z / 90, 3) * 26
      const wz = z + noise.fbm(x / 90 + 30, z / 90, 3) * 26
      const away = Math.abs(x - bend(z)) - 100 - noise.at(z / 300, 2) * 22
      let height =
        away < 0 ? away * 0.2 : Math.min(8, away * 0.12) + noise.fbm(x / 120, z / 120, 3) * 3 * smooth(20, 80, away)
      for (const tower of grid.get(Math.floor(x / cell) * 4096 + Math.floor(z / cell)) ?? []) {
        const dx = (wx - tower.x) * tower.long
        const dz = wz - tower.z
        const r = Math.sqrt(dx * dx + dz * dz) / tower.radius
        if (r > 1.5) continue
        const dome = tower.tall * (1 - r ** 3.2 * 0.9) * smooth(1.12, 0.86, r)
        const foot = tower.tall * 0.16 * smooth(1.5, 0.9, r)
        height = Math.max(height, dome, foot)
      }
      return height
    })
    const light = {
      sun,
      sunlight: hex('#fff2cf', 1.25),
      skylight: hex('#b9ccc6', 0.78),
      shadows: castShadows(land, sun, 0.3, 500),
      open: openness(land, 90, 0.9),
    }
    const rock = createRock(noise, 150)
    const wood = createCrowns(createRandom('moyun-wood'), 170, 30, 1.7)
    const stone = hex('#8b948a')
    const stain = hex('#4a544d')
    const leaf = hex('#2e4a3a')
    const young = hex('#66804f')
    const ground: Ground = {
      near: 170,
      far: 9000,
      level: 0,
      step: 0.0016,
      height(x, z, distance) {
        const base = sampleMap(land, x, z)
        if (base < 0.2) return base
        const rough = sampleTile(rock, x, z)
        if (distance > 5200) return base + rough * 4
        return (
          base + rough * Math.min(6, base * 0.2) + sampleTile(wood.heights, x, z) * 8.5 * smooth(3, 9, base + rough * 3)
        )
      },
      shade(at, out) {
        const rough = sampleTile(rock, at.x + at.y * 0.2, at.z + at.y * 0.35)
        const crown = sampleTile(wood.heights, at.x, at.z)
        const streak = noise.fbm(at.x / 14 + at.z / 18, at.y / 60, 3)
        set(out, mixRgb(stain, stone, 0.55 + rough * 0.3 + streak * 0.5))
        const green = smooth(0.16, 0.36, at.ny + rough * 0.12 + noise.at(at.x / 40, at.y / 30) * 0.12)
        blend(
          out,
          mixRgb(leaf, young, crown * 0.7 + hashPair(Math.floor(at.x / 6), Math.floor(at.z / 6)) * 0.15),
          green,
        )
        illuminate(light, at, out, 0.1)
      },
      hazes: [
        { colour: hex('#c9d3c9'), density: 0.00016, fall: 420, sun: hex('#f6ecd2') },
        { colour: hex('#dfe4da'), density: 0.0007, fall: 40, sun: hex('#fbf3dc'), max: 0.93 },
      ],
      spot: { x: 0.72, y: -0.12, size: 0.34 },
    }
    const paper = createGradient([
      [0, '#efeada'],
      [0.3, '#e3e4d8'],
      [0.65, '#c9d3cb'],
      [1, '#a9bab4'],
    ])
    const glow = hex('#fff0cc')
    compose({
      view,
      ground,
      noise,
      sky(u, v, out) {
        paper(v / 0.42 + vapour.fbm(u * 2, v * 6, 4) * 0.1, out)
        add(out, glow, halo(u, v, 0.72, 0.17, 0.12) * 0.22)
      },
      water: {
        roughness: 0.005,
        wavelength: 6,
        mirror: 0.4,
        body: (_depth, _x, _z, out) => set(out, hex('#3d564d')),
        tint: [0.88, 0.93, 0.9],
      },
    })
    return { picture: view.picture, overlays: [raft(full)], finish: { exposure: 0.97, grain: 7, vignette: 0.3 } }
  },
}

function raft(full: Size) {
  const one =
    '<path d="M-46 3Q-30 5 0 5Q34 5 54 -3L55 -1Q36 9 0 9Q-34 9 -47 5Z"/><path d="M-4 4L-3 -14Q-8 -22 -5 -30L-2 -36L3 -35L6 -28L8 -15L10 4L6 4L3 -12L0 4Z"/><path d="M-10 -37Q0 -46 11 -36Z"/><circle cx="1" cy="-37" r="3.6"/><path d="M5 -28L24 -48L25 -47L7 -26ZM24 -48L-14 26L-15 26Z"/><path d="M30 0Q30 -9 33 -11Q32 -15 36 -15L39 -14L36 -13Q38 -8 35 0ZM-34 3Q-34 -6 -31 -8Q-32 -12 -28 -12L-25 -11L-28 -10Q-26 -5 -29 3Z"/>'
  const body = `<g fill="#1b2725"><g transform="translate(800 850) scale(.92)">${one}</g><g transform="translate(800 864) scale(.92 -.7)" opacity=".3">${one}</g></g>`
  return { svg: svg(full, body + birds(createRandom('moyun-birds'), 1090, 250, 7, 7, '#4c5d57')) }
}
