// A tidewater glacier under a bright overcast: a blue wall, its rubble in the water, a red boat for scale.

import { add, blend, clamp, createGradient, hex, mixRgb, set, smooth } from '../engine/colour.ts'
import { compose, illuminate } from '../engine/compose.ts'
import { birds } from '../engine/figures.ts'
import { castShadows, createMap, direction, openness, sampleMap } from '../engine/heightmap.ts'
import { createNoise, createRandom } from '../engine/noise.ts'
import { bloom } from '../engine/picture.ts'
import { type Scene, type Size, svg } from '../engine/scene.ts'
import { createRock, sampleTile } from '../engine/tiles.ts'
import { createView, type Ground } from '../engine/view.ts'

export const jokulhem: Scene = {
  slug: 'jokulhem',
  palette: ['#173a4c', '#3f86a6', '#8cc3d6', '#cfe6ec', '#f7fafa'],
  ink: 'light',
  draw(inner, full) {
    const noise = createNoise('jokulhem-ice-2')
    const view = createView(inner.width, inner.height, { height: 24, focal: 0.9, horizon: 0.57 })
    const sun = direction(-108, 27)
    const front = (x: number) =>
      760 + noise.fbm(x / 420, 3, 4) * 150 + Math.abs(noise.at(x / 90, 8)) * 44 + ((x - 120) / 900) ** 2 * 210
    const ice = createMap(1150, 3400, 60, (x, z) => {
      const inland = z - front(x)
      if (inland > 0) {
        const blocks = noise.cells(x / 36 + noise.at(z / 60, x / 90) * 0.7, z / 30)
        const crack = smooth(0.03, 0.24, blocks.second - blocks.first)
        const tooth = blocks.id * 22
        const near = smooth(420, 30, inland)
        const crevasse = smooth(0.1, 0.45, Math.abs(noise.at(x / 190, z / 26)))
        return (
          58 +
          noise.fbm(x / 300, 2, 3) * 16 +
          inland * 0.1 +
          near * (tooth * crack - 16 * (1 - crack)) +
          crevasse * 8 * (1 - near)
        )
      }
      const bergs = noise.cells(x / 74 + 5, z / 60)
      const size = smooth(0.74, 1, bergs.id) * smooth(130, 320, z)
      const berg =
        size > 0 ? size * smooth(0.42, 0.12, bergs.first + noise.fbm(x / 16, z / 16, 3) * 0.09) * (7 + bergs.id * 9) : 0
      const crumbs = noise.cells(x / 13, z / 10 + 40)
      const field = smooth(0.05, 0.4, noise.fbm(x / 170 + 9, z / 50, 3))
      const crumb = crumbs.id > 0.45 ? field * smooth(0.4, 0.25, crumbs.first) * (0.6 + crumbs.id * 1.4) : 0
      return -2 + Math.max(berg > 0.4 ? berg + 2 : 0, crumb > 0.1 ? crumb + 2 : 0)
    })
    const peaks = createMap(560, 24000, 2600, (x, z) => {
      const valley = smooth(700, 4200, Math.abs(x - 300 - z * 0.09))
      return (
        120 + (z - 2600) * 0.055 + valley * noise.ridged(x / 4100 + 6, z / 4100, 7, 0.52) * 2500 * smooth(2600, 6500, z)
      )
    })
    const light = {
      sun,
      sunlight: hex('#fff1da', 1.75),
      skylight: hex('#b4d3e6', 0.92),
      shadows: castShadows(ice, sun, 0.1, 700),
      open: openness(ice, 22, 1.1, 800),
    }
    const rock = createRock(noise, 44)
    const cliff = createRock(noise, 900)
    const white = hex('#f2f8fb')
    const blue = hex('#3fa3cf')
    const deep = hex('#126a9c')
    const dirt = hex('#8d9295')
    const stone = hex('#4b4f58')
    const ground: Ground = {
      near: 64,
      far: 24000,
      level: 0,
      step: 0.0013,
      height(x, z, distance) {
        if (z > 3000) return sampleMap(peaks, x, z) + sampleTile(cliff, x, z) * 18
        const base = sampleMap(ice, x, z)
        if (base < 0) return base
        return base + (distance < 1500 ? sampleTile(rock, x, z) * Math.min(2.2, base * 0.25) : 0)
      },
      shade(at, out) {
        if (at.z > 3000) {
          const rough = sampleTile(cliff, at.x, at.z)
          set(out, mixRgb(stone, white, smooth(0.5, 0.74, at.ny + rough * 0.1)))
          illuminate({ ...light, shadows: flat, open: flat }, at, out)
          return
        }
        const rough = sampleTile(rock, at.x + at.y * 0.6, at.z + at.y * 0.3)
        const wall = smooth(0.75, 0.25, at.ny)
        const seam = noise.fbm(at.x / 26 + noise.at(at.y / 20, at.x / 60), at.y / 44 + at.z / 90, 4)
        const level = noise.at(at.x / 300, (at.y + noise.at(at.x / 60, 4) * 6) / 7)
        set(out, white)
        blend(out, mixRgb(blue, deep, clamp(0.3 + seam * 0.9)), wall * clamp(0.5 + seam * 0.6 + level * 0.12))
        blend(out, dirt, smooth(0.42, 0.6, noise.fbm(at.x / 46, at.z / 260 + at.y / 30, 4)) * 0.4)
        for (let c = 0; c < 3; c++) out[c]! *= 1 + rough * 0.12
        illuminate(light, at, out, 0.25)
        add(out, blue, 0.1 * wall)
        const foot = smooth(4, 0.2, at.y) * wall
        blend(out, deep, foot * 0.35)
      },
      hazes: [{ colour: hex('#c9dbe3'), density: 0.00007, fall: 1300, sun: hex('#f6ead4') }],
      spot: { x: 0.18, y: -0.08, size: 0.32 },
    }
    const overcast = createGradient([
      [0, '#f8efdc'],
      [0.14, '#e9ebe6'],
      [0.4, '#bfd2dd'],
      [0.75, '#93b2c6'],
      [1, '#7499b2'],
    ])
    compose({
      view,
      ground,
      noise,
      sky(u, v, out) {
        overcast(v / 0.4, out)
        const sheet = noise.fbm(u * 1.8 + 3, v * 8 + u, 6, 0.55)
        blend(out, hex('#fdf6e8'), smooth(-0.1, 0.6, sheet) * 0.5)
        blend(
          out,
          hex('#7f9db1'),
          smooth(0.1, 0.75, noise.fbm(u * 2 + 30, v * 11 + 2, 5, 0.55)) * 0.4 * smooth(0.06, 0.2, v),
        )
        add(out, hex('#ffe6b4'), Math.exp(-Math.hypot(u - 0.18, (v - 0.09) * 1.3) / 0.12) * 0.22)
      },
      water: {
        roughness: 0.007,
        wavelength: 5,
        mirror: 0.25,
        body: (_depth, _x, _z, out) => set(out, hex('#1d5a68')),
        tint: [0.86, 0.93, 0.95],
      },
    })
    bloom(view.picture, 0.95, 0.2, 0.02)
    return { picture: view.picture, overlays: [boat(full)], finish: { exposure: 0.94, grain: 5 } }
  },
}

const flat = { size: 2, span: 1, left: 0, near: 0, data: new Float32Array([1, 1, 1, 1]) }

function boat(full: Size) {
  const hull =
    '<path d="M-26 -6L22 -6L30 -10L24 2L-22 2Z" fill="#a8281f"/><path d="M-12 -6L-12 -17L6 -17L9 -6Z" fill="#f4efe4"/><path d="M-9 -14H3V-10H-9Z" fill="#2b3f4a"/><path d="M-4 -17V-30" stroke="#2b3f4a" stroke-width="1.2"/>'
  const gulls = birds(createRandom('jokulhem-gulls'), 560, 360, 9, 5, '#51636e')
  return {
    svg: svg(
      full,
      `<g transform="translate(1010 708) scale(.85 -.5)" opacity=".35">${hull}</g><g transform="translate(1010 704) scale(.85)">${hull}</g>${gulls}`,
    ),
  }
}
