// The order in which a scene with ground is put together, and the light every ground shares.
import type { Rgb } from './colour.ts'
import { type Direction, type HeightMap, sampleMap } from './heightmap.ts'
import type { Noise } from './noise.ts'
import { createSky, drawSky, type PaintSky, type Sky } from './sky.ts'
import { createMirror, drawGround, drawMirrored, type Ground, type Surface, type View } from './view.ts'
import { drawWater, type Water } from './water.ts'

export type Composition = {
  view: View
  sky: PaintSky
  ground: Ground
  water?: Water
  noise: Noise
  /** Runs when the sky stands and the ground does not: for stars. */
  afterSky?(view: View, mirrored: boolean): void
}

/** Sky, ground, then the mirrored scene and the water that shows it. Returns the sky for those who need its colours. */
export function compose({ view, sky: paint, ground, water, noise, afterSky }: Composition): Sky {
  const sky = createSky(view, paint)
  drawSky(view, sky)
  afterSky?.(view, false)
  drawGround(view, ground)
  if (water) {
    const mirror = createMirror(view, ground.level ?? 0)
    drawSky(mirror, sky)
    afterSky?.(mirror, true)
    drawMirrored(mirror, ground)
    drawWater(view, mirror, ground, noise, water)
  }
  return sky
}

export type Light = {
  sun: Direction
  sunlight: Rgb
  skylight: Rgb
  shadows: HeightMap
  open: HeightMap
  /** Light that comes back from the ground and the air into the shadows. */
  bounce?: Rgb
}

/** Turns the ground's own colour in `out` into what the light makes of it. */
export function illuminate(light: Light, at: Surface, out: Float32Array, wrap = 0): void {
  const facing = (at.nx * light.sun.x + at.ny * light.sun.y + at.nz * light.sun.z + wrap) / (1 + wrap)
  const sunny = facing > 0 ? facing * sampleMap(light.shadows, at.x, at.z) : 0
  const sky = sampleMap(light.open, at.x, at.z) * (0.55 + at.ny * 0.45)
  const bounce = 1 - at.ny
  for (let c = 0; c < 3; c++) {
    out[c]! *= light.sunlight[c]! * sunny + light.skylight[c]! * sky + (light.bounce ? light.bounce[c]! * bounce : 0)
  }
}

/** The row where the ground nearest to `from`…`to` metres first shows in a column, or -1. */
export function findCrest(view: View, u: number, from: number, to: number): number {
  const column = Math.min(view.width - 1, Math.max(0, Math.floor(u * view.width)))
  for (let y = 0; y < view.height; y++) {
    const z = view.depth[y * view.width + column]!
    if (z >= from && z <= to) return y
  }
  return -1
}
