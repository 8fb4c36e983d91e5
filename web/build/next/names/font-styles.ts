// The stylesheet of one font, and the names that replace the call of `next/font`.

import { existsSync } from 'node:fs'
import { extname, join } from 'node:path'

/** The options of Next.js that change the styles. `subsets`, `preload`, `axes` and `adjustFontFallback` change nothing here. */
export interface FontOptions {
  src?: string | { path: string; weight?: string; style?: string }[]
  weight?: string | string[]
  style?: string | string[]
  display?: string
  /** Name of a custom property. */
  variable?: string
  fallback?: string[]
  declarations?: { prop: string; value: string }[]
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

/** The fonts of the site's own files. */
export function localFont(options: FontOptions, id: string): FontStyles {
  const name = `font-${id}`
  const files = typeof options.src === 'string' ? [{ path: options.src }] : (options.src ?? [])
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
  return stylesOf(files.length === 1 ? options : shared, id, [name], faces.join(''))
}

/** A font of Google: from an installed package, or as the first name of a stack of fallbacks. */
export function googleFont(
  options: FontOptions,
  id: string,
  family: string,
  installed: { name: string; isVariable: boolean; folder: string } | undefined,
): FontStyles {
  const names = installed ? [installed.isVariable ? `${family} Variable` : family] : [family]
  const stack = options.fallback ?? []
  const styles = stylesOf({ ...options, fallback: [...stack, ...genericOf(family)] }, id, names, '')
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

/** System fonts of the kind that the name of the font suggests. */
function genericOf(family: string): string[] {
  if (/mono|code|courier/i.test(family)) return ['ui-monospace', 'monospace']
  if (/script|hand|dancing|pacifico|caveat/i.test(family)) return ['cursive']
  const isSerif = /(?<!sans )serif|slab|playfair|merriweather|lora|garamond|baskerville|bodoni|crimson|bitter/i
  return isSerif.test(family) ? ['ui-serif', 'serif'] : ['system-ui', 'sans-serif']
}
