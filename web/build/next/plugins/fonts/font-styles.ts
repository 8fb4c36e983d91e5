// The stylesheet of one font, and the names that replace the call of `next/font`.

import { existsSync } from 'node:fs'
import { extname, join } from 'node:path'
import { type FontMetrics, fallbackFace, type SystemFont } from './fallback-fonts.ts'
import { type FontCategory, GOOGLE_METRICS } from './google-metrics.ts'

/** The options of Next.js that change the styles. `axes` changes nothing here. */
export interface FontOptions {
  src?: string | { path: string; weight?: string; style?: string }[]
  weight?: string | string[]
  style?: string | string[]
  display?: string
  /** Name of a custom property. */
  variable?: string
  fallback?: string[]
  declarations?: { prop: string; value: string }[]
  /** Whether documents name the files in their head. Of a font of Google the files of the `subsets`. */
  preload?: boolean
  subsets?: string[]
  /** Whether a system font, in the size of this one, is shown until this one is loaded; or which system font. */
  adjustFontFallback?: boolean | string
}

export interface FontStyles {
  css: string
  /** Stylesheets of packages. */
  imports: string[]
  /** What the call returns. */
  value: {
    className: string
    variable: string
    style: { fontFamily: string; fontWeight?: number; fontStyle?: string }
  }
}

const FORMATS: Readonly<Record<string, string>> = {
  '.woff2': 'woff2',
  '.woff': 'woff',
  '.ttf': 'truetype',
  '.otf': 'opentype',
  '.eot': 'embedded-opentype',
}

/** The fonts of the site's own files; `metrics` are those of the file of fallbackSource. */
export function localFont(options: FontOptions, id: string, metrics: FontMetrics | undefined): FontStyles {
  const name = `font-${id}`
  const files = filesOf(options)
  const faces = files.map((file) => {
    const {
      path,
      weight = one(options.weight),
      style = one(options.style),
    } = {
      weight: undefined,
      style: undefined,
      ...file,
    }
    const format = FORMATS[extname(path)]
    const lines = [
      `font-family: '${name}'`,
      `src: url(${JSON.stringify(path.startsWith('.') ? path : `./${path}`)})${format ? ` format('${format}')` : ''}`,
      `font-display: ${options.display ?? 'swap'}`,
      ...(weight ? [`font-weight: ${weight}`] : []),
      ...(style ? [`font-style: ${style}`] : []),
      ...(options.declarations ?? []).map(({ prop, value }) => `${prop}: ${value}`),
    ]
    return `@font-face { ${lines.join('; ')} }\n`
  })
  const { weight: _weight, style: _style, ...shared } = options
  // With several files the text chooses weight and style.
  const system = options.adjustFontFallback === 'Times New Roman' ? options.adjustFontFallback : 'Arial'
  const fallback = adjusted(options, id, system, metrics)
  const named = files.length === 1 ? options : shared
  return stylesOf(named, id, [name, ...fallback.names], faces.join('') + fallback.face)
}

interface FontFile {
  path: string
  weight?: string
  style?: string
}

/** The files of an option `src`. */
export function filesOf({ src = [] }: FontOptions): FontFile[] {
  return [src].flat().map((file) => (typeof file === 'string' ? { path: file } : file))
}

/** The file whose size fallback fonts have: upright, and nearest to the weight of text. */
export function fallbackSource(options: FontOptions): string | undefined {
  const distance = ({ weight = one(options.weight) ?? '400', style = one(options.style) }: FontFile) => {
    const [least = 400, most = least] = weight.replace('normal', '400').replace('bold', '700').split(' ').map(Number)
    return Math.max(least - 400, 400 - most, 0) + (style === 'italic' || style === 'oblique' ? 10_000 : 0)
  }
  return filesOf(options).sort((left, right) => distance(left) - distance(right))[0]?.path
}

/** A face in the size of the font, and its name. */
function adjusted(
  { adjustFontFallback = true }: FontOptions,
  id: string,
  system: SystemFont,
  metrics: FontMetrics | undefined,
): { names: string[]; face: string } {
  if (!metrics || adjustFontFallback === false) return { names: [], face: '' }
  const name = `font-${id}-fallback`
  return { names: [name], face: fallbackFace(name, system, metrics) }
}

/** A font of Google: from an installed package, or as the first name of a stack of fallbacks. */
export function googleFont(
  options: FontOptions,
  id: string,
  family: string,
  installed: { name: string; isVariable: boolean; folder: string } | undefined,
  measured: FontMetrics | undefined,
): FontStyles {
  const name = installed?.isVariable ? `${family} Variable` : family
  const category = categoryOf(family)
  const { names, face } = adjusted(options, id, SYSTEM_FONT[category], measured ?? metricsOf(family))
  const stack = [...(options.fallback ?? []), ...GENERIC_FONTS[category]]
  const styles = stylesOf({ ...options, fallback: stack }, id, [name, ...names], face)
  if (!installed) return styles
  const weights = [options.weight ?? '400']
    .flat()
    .filter((weight) => existsSync(join(installed.folder, `${weight}.css`)))
  const files = installed.isVariable || weights.length === 0 ? ['index'] : weights
  return { ...styles, imports: files.map((file) => `${installed.name}/${file}.css`) }
}

function stylesOf(options: FontOptions, id: string, names: string[], faces: string): FontStyles {
  const families = [...names, ...(options.fallback ?? [])]
  const fontFamily = families.map(quoted).join(', ')
  const weight = one(options.weight)
  const style = one(options.style)
  const className = `font-${id}-class`
  const rules = [
    `font-family: ${fontFamily}`,
    ...(weight && /^\d+$/.test(weight) ? [`font-weight: ${weight}`] : []),
    ...(style ? [`font-style: ${style}`] : []),
  ]
  const variable = options.variable === undefined ? '' : `font-${id}-variable`
  return {
    css: `${faces}.${className} { ${rules.join('; ')} }\n${variable && `.${variable} { ${options.variable}: ${fontFamily} }\n`}`,
    imports: [],
    value: {
      className,
      variable,
      style: {
        fontFamily,
        ...(weight && /^\d+$/.test(weight) && { fontWeight: Number(weight) }),
        ...(style && { fontStyle: style }),
      },
    },
  }
}

/** The value where the option has one; several values are those of several faces. */
function one(value: string | string[] | undefined): string | undefined {
  const list = value === undefined ? [] : [value].flat()
  return list.length === 1 ? list[0] : undefined
}

const GENERIC = /^(serif|sans-serif|monospace|cursive|fantasy|system-ui|ui-[a-z-]+)$/

function quoted(family: string): string {
  return GENERIC.test(family) || /^['"]/.test(family) ? family : `'${family}'`
}

const SYSTEM_FONT: Readonly<Record<FontCategory, SystemFont>> = {
  'sans-serif': 'Arial',
  serif: 'Times New Roman',
  monospace: 'Courier New',
  display: 'Arial',
  handwriting: 'Arial',
}
const GENERIC_FONTS: Readonly<Record<FontCategory, readonly string[]>> = {
  'sans-serif': ['system-ui', 'sans-serif'],
  serif: ['ui-serif', 'serif'],
  monospace: ['ui-monospace', 'monospace'],
  display: ['system-ui', 'sans-serif'],
  handwriting: ['cursive'],
}

/** The kind of a font, or the one that its name suggests. */
function categoryOf(family: string): FontCategory {
  const known = Object.hasOwn(GOOGLE_METRICS, family) ? GOOGLE_METRICS[family] : undefined
  if (known) return known[0]
  if (/mono|code|courier/i.test(family)) return 'monospace'
  if (/script|hand/i.test(family)) return 'handwriting'
  return /(?<!sans )serif|slab|playfair|garamond|baskerville|bodoni/i.test(family) ? 'serif' : 'sans-serif'
}

function metricsOf(family: string): FontMetrics | undefined {
  const known = Object.hasOwn(GOOGLE_METRICS, family) ? GOOGLE_METRICS[family] : undefined
  if (!known) return undefined
  const [, ascent, descent, lineGap, unitsPerEm, xWidthAvg] = known
  return { ascent, descent, lineGap, unitsPerEm, xWidthAvg }
}
