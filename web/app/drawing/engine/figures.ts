// Small things for scale, as SVG: trees, birds, boats, people. Units are those of the frame.
import type { Random } from './noise.ts'
import { n } from './scene.ts'

/** A spruce or fir as one path, standing on (x, y). */
export function conifer(random: Random, x: number, y: number, height: number, spread = 0.17): string {
  const tiers = Math.max(6, Math.min(34, Math.round(height / 6)))
  const left: string[] = []
  const right: string[] = []
  const lean = (random() - 0.5) * height * 0.02
  for (let i = 0; i < tiers; i++) {
    const t = i / tiers
    const top = y - height * (1 - t * 0.94)
    const wide = height * spread * (0.06 + t ** 0.85) * (0.72 + random() * 0.5)
    const other = height * spread * (0.06 + t ** 0.85) * (0.72 + random() * 0.5)
    const drop = (height / tiers) * (0.9 + random() * 0.6)
    const shift = lean * (1 - t)
    left.push(`${n(x + shift - wide * 0.28)} ${n(top)}`, `${n(x + shift - wide)} ${n(top + drop)}`)
    right.unshift(
      `${n(x + shift + other)} ${n(top + drop * (0.8 + random() * 0.4))}`,
      `${n(x + shift + other * 0.28)} ${n(top)}`,
    )
  }
  const trunk = height * 0.012
  return `M${n(x + lean)} ${n(y - height)}L${left.join('L')}L${n(x - trunk)} ${n(y - height * 0.04)}L${n(x - trunk)} ${n(y)}L${n(x + trunk)} ${n(y)}L${n(x + trunk)} ${n(y - height * 0.04)}L${right.join('L')}Z`
}

/** A flock as thin strokes around (x, y). */
export function birds(random: Random, x: number, y: number, count: number, size: number, colour: string): string {
  let path = ''
  for (let i = 0; i < count; i++) {
    const bx = x + (random() - 0.5) * size * 22
    const by = y + (random() - 0.5) * size * 9
    const s = size * (0.6 + random() * 0.6)
    const flap = s * (0.15 + random() * 0.45)
    path += `M${n(bx - s)} ${n(by - flap)}Q${n(bx - s * 0.4)} ${n(by - flap * 0.9)} ${n(bx)} ${n(by)}Q${n(bx + s * 0.4)} ${n(by - flap)} ${n(bx + s)} ${n(by - flap * 0.7)}`
  }
  return `<path d="${path}" fill="none" stroke="${colour}" stroke-width="${n(size * 0.16)}" stroke-linecap="round"/>`
}

/** A person seen from far, `height` units tall, with a reflection of the given opacity. */
export function person(x: number, y: number, height: number, colour: string, mirrored = 0): string {
  const h = height
  const body = `M${n(-0.1 * h)} 0L${n(-0.08 * h)} ${n(-0.46 * h)}L${n(-0.15 * h)} ${n(-0.5 * h)}L${n(-0.12 * h)} ${n(-0.78 * h)}Q0 ${n(-0.9 * h)} ${n(0.12 * h)} ${n(-0.78 * h)}L${n(0.15 * h)} ${n(-0.5 * h)}L${n(0.08 * h)} ${n(-0.46 * h)}L${n(0.1 * h)} 0L${n(0.03 * h)} 0L0 ${n(-0.38 * h)}L${n(-0.03 * h)} 0Z`
  const head = `<circle cx="0" cy="${n(-0.92 * h)}" r="${n(0.085 * h)}"/>`
  const one = (flip: number, opacity: number) =>
    `<g transform="translate(${n(x)} ${n(y)}) scale(1 ${flip})" fill="${colour}" opacity="${opacity}"><path d="${body}"/>${head}</g>`
  return one(1, 1) + (mirrored > 0 ? one(-1, mirrored) : '')
}

/** A round light with a glow, to be laid over by `screen`. */
export function lamp(id: string, x: number, y: number, radius: number): string {
  return `<circle cx="${n(x)}" cy="${n(y)}" r="${n(radius)}" fill="url(#${id})"/>`
}

export function lampGradient(id: string, core: string, glow: string): string {
  return `<radialGradient id="${id}"><stop offset="0" stop-color="${core}"/><stop offset=".08" stop-color="${core}" stop-opacity=".95"/><stop offset=".2" stop-color="${glow}" stop-opacity=".45"/><stop offset=".5" stop-color="${glow}" stop-opacity=".12"/><stop offset="1" stop-color="${glow}" stop-opacity="0"/></radialGradient>`
}
