// What a landscape is to the program, and the frame of vector drawings (1600 x 1000 units, whatever the size).
import type { Finish, Overlay, Picture } from './picture.ts'

export type Size = { width: number; height: number }

export type Drawn = { picture: Picture; overlays: Overlay[]; finish: Finish }

export type Scene = {
  slug: string
  /** Dark to light; the placeholder runs from the third to the first. */
  palette: readonly [string, string, string, string, string]
  /** The text colour that reads on the lower third. */
  ink: 'light' | 'dark'
  /** `inner` is the size light is computed at, `full` that of the finished picture. */
  draw(inner: Size, full: Size): Drawn
}

export function svg(full: Size, content: string, defs = ''): string {
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${full.width}" height="${full.height}" viewBox="0 0 1600 1000"><defs>${defs}</defs>${content}</svg>`
}

/** One decimal is a tenth of a unit: finer than a pixel. */
export const n = (value: number) => String(Math.round(value * 100) / 100)
