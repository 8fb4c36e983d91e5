// Looks at a height field from a camera: column by column, front to back, each pixel shaded where its ray meets the ground.
import { blend, clamp, type Rgb } from './colour.ts'
import { createPicture, type Picture } from './picture.ts'

/** Looks along +z from x = 0, z = 0. `focal` in picture widths, `horizon` in picture heights from the top. */
export type Camera = { height: number; focal: number; horizon: number }

export type View = {
  width: number
  height: number
  focal: number
  horizon: number
  eye: number
  picture: Picture
  /** Metres along the view to what each pixel shows; Infinity is sky. */
  depth: Float32Array
  /** Metres of water under the surface a pixel shows; -1 is no water. */
  under: Float32Array
}

export type Surface = {
  x: number
  y: number
  z: number
  nx: number
  ny: number
  nz: number
  column: number
  row: number
}

/** Haze thins out upwards by a factor e every `fall` metres above `base`; `sun` colours it around the sun's place. */
export type Haze = { colour: Rgb; density: number; fall: number; base?: number; sun?: Rgb; max?: number }
export type SunSpot = { x: number; y: number; size: number }

export type Ground = {
  height(x: number, z: number, distance: number): number
  shade(at: Surface, out: Float32Array): void
  near: number
  far: number
  /** Step as a share of the distance: smaller is finer. */
  step?: number
  /** Height of the water, if there is any. */
  level?: number
  hazes: readonly Haze[]
  /** Where in the picture (0 to 1) the haze takes its sun colour. */
  spot?: SunSpot
}

export function createView(width: number, height: number, camera: Camera): View {
  return {
    width,
    height,
    focal: camera.focal * width,
    horizon: camera.horizon * height,
    eye: camera.height,
    picture: createPicture(width, height),
    depth: new Float32Array(width * height).fill(Number.POSITIVE_INFINITY),
    under: new Float32Array(width * height).fill(-1),
  }
}

/** The view that water at `level` shows: the mirrored camera, half the size, only what is above the horizon. */
export function createMirror(view: View, level: number): View {
  const width = Math.ceil(view.width / 2)
  const height = Math.ceil((view.height - view.horizon) / 2) + 4
  return {
    ...createView(width, height, { height: 2 * level - view.eye, focal: 1, horizon: 1 }),
    focal: view.focal / 2,
    horizon: height - 4,
  }
}

/** Lays the hazes between the eye and a point over a colour. */
export function applyHaze(ground: Ground, view: View, y: number, z: number, x: number, row: number, out: Float32Array) {
  for (const haze of ground.hazes) {
    const base = haze.base ?? 0
    const a = Math.max(0, Math.abs(view.eye) - base) / haze.fall
    const b = Math.max(0, y - base) / haze.fall
    const thickness = Math.abs(a - b) < 1e-3 ? Math.exp(-a) : (Math.exp(-a) - Math.exp(-b)) / (b - a)
    let amount = 1 - Math.exp(-z * haze.density * thickness)
    if (haze.max !== undefined && amount > haze.max) amount = haze.max
    blend(out, haze.colour, amount)
    if (haze.sun && ground.spot) {
      const dx = x / view.width - ground.spot.x
      const dy = ((row - view.horizon) / view.width) * 1.0 + ground.spot.y
      const near = Math.exp(-(dx * dx + dy * dy) / (ground.spot.size * ground.spot.size))
      blend(out, haze.sun, amount * near * 0.85)
    }
  }
}

type Pass = { view: View; ground: Ground; level: number; at: Surface; out: Float32Array }

/** Shades one pixel whose ray meets the ground between two steps of its column. */
function shadePixel(pass: Pass, y: number, slopeX: number, lastZ: number, lastH: number, z: number, h: number): void {
  const { view, ground, at, out } = pass
  const slopeY = (view.horizon - y - 0.5) / view.focal
  const t = clamp((view.eye + slopeY * lastZ - lastH) / (h - lastH - slopeY * (z - lastZ) || 1e-9))
  at.z = lastZ + (z - lastZ) * t
  at.x = slopeX * at.z
  at.y = lastH + (h - lastH) * t
  const reach = Math.max(0.05, (at.z / view.focal) * 1.6)
  const here = ground.height(at.x, at.z, at.z)
  const right = ground.height(at.x + reach, at.z, at.z) - here
  const ahead = ground.height(at.x, at.z + reach, at.z) - here
  const length = Math.sqrt(right * right + ahead * ahead + reach * reach)
  at.nx = -right / length
  at.ny = reach / length
  at.nz = -ahead / length
  at.row = y
  ground.shade(at, out)
  applyHaze(ground, view, at.y, at.z, at.column, y, out)
  const pixel = y * view.width + at.column
  view.picture.rgb.set(out, pixel * 3)
  view.depth[pixel] = at.z
}

const rowOf = (view: View, height: number, z: number) =>
  Math.max(0, Math.ceil(view.horizon - ((height - view.eye) * view.focal) / z - 0.5))

function startPass(view: View, ground: Ground): Pass {
  const at: Surface = { x: 0, y: 0, z: 0, nx: 0, ny: 1, nz: 0, column: 0, row: 0 }
  return { view, ground, level: ground.level ?? Number.NEGATIVE_INFINITY, at, out: new Float32Array(3) }
}

/** Draws the ground into the view, and marks where water lies before it. */
export function drawGround(view: View, ground: Ground): void {
  const { width, height, focal, horizon, eye, depth, under } = view
  const pass = startPass(view, ground)
  const { level } = pass
  const step = ground.step ?? 0.002
  for (let column = 0; column < width; column++) {
    const slopeX = (column + 0.5 - width / 2) / focal
    pass.at.column = column
    let top = height
    let lastZ = ground.near
    let lastH = ground.height(slopeX * lastZ, lastZ, lastZ)
    for (let z = ground.near; z < ground.far && top > 0; z += z * step) {
      const h = ground.height(slopeX * z, z, z)
      const wet = h < level
      const row = rowOf(view, wet ? level : h, z)
      for (let y = top - 1; y >= row; y--) {
        if (!wet) {
          shadePixel(pass, y, slopeX, lastZ, lastH, z, h)
          continue
        }
        const slopeY = (horizon - y - 0.5) / focal
        const hit = slopeY < -1e-6 ? clamp((level - eye) / slopeY, ground.near, ground.far) : z
        depth[y * width + column] = hit
        under[y * width + column] = Math.max(0, level - ground.height(slopeX * hit, hit, hit))
      }
      if (row < top) top = row
      lastZ = z
      lastH = wet ? level : h
    }
  }
}

/**
 * Draws what stands above the water into a mirror view. Its camera is under water, so a ray may pass below land that is
 * nearer than the place where the ray comes out: each column keeps the stretch of rows that is filled so far.
 */
export function drawMirrored(view: View, ground: Ground): void {
  const { width, height, focal, depth } = view
  const pass = startPass(view, ground)
  const { level } = pass
  const step = (ground.step ?? 0.002) * 2
  for (let column = 0; column < width; column++) {
    const slopeX = (column + 0.5 - width / 2) / focal
    pass.at.column = column
    let top = -1
    let bottom = -1
    let gap = false
    let lastZ = ground.near
    let lastH = level
    for (let z = ground.near; z < ground.far; z += z * step) {
      const h = ground.height(slopeX * z, z, z)
      if (h > level) {
        const row = rowOf(view, h, z)
        const base = Math.min(height - 1, rowOf(view, level, z))
        if (top >= 0 && row > bottom) gap = true
        for (let y = base; y >= row; y--) {
          if (top >= 0 && !gap && y < bottom && y >= top) y = top - 1
          if (y < row) break
          if (gap && depth[y * width + column] !== Number.POSITIVE_INFINITY) continue
          shadePixel(pass, y, slopeX, lastZ, lastH, z, h)
        }
        top = top < 0 ? row : Math.min(top, row)
        bottom = Math.max(bottom, base + 1)
      }
      lastZ = z
      lastH = Math.max(level, h)
    }
  }
}
