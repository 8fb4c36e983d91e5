// Fallback fonts of the size of a web font: the text takes the same space before and after the web font is loaded (X1).

/** Lengths in units of the font. */
export interface FontMetrics {
  ascent: number
  descent: number
  lineGap: number
  unitsPerEm: number
  /** Average width of a letter in English text. */
  xWidthAvg: number
}

/** Fonts that most systems have; from @capsizecss/metrics 4.3.0. */
const SYSTEM_FONTS = {
  Arial: { unitsPerEm: 2048, xWidthAvg: 913 },
  'Times New Roman': { unitsPerEm: 2048, xWidthAvg: 832 },
  'Courier New': { unitsPerEm: 2048, xWidthAvg: 1229 },
} as const
export type SystemFont = keyof typeof SYSTEM_FONTS

/**
 * A font face with another font's metrics.
 *
 * @example fallbackFace('inter-fallback', 'Arial', await measureFont('fonts/inter.woff2'))
 */
export function fallbackFace(name: string, system: SystemFont, metrics: FontMetrics): string {
  const { unitsPerEm, xWidthAvg } = SYSTEM_FONTS[system]
  const sizeAdjust = metrics.xWidthAvg / metrics.unitsPerEm / (xWidthAvg / unitsPerEm)
  const percent = (value: number) => `${(Math.abs(value) * 100).toFixed(2)}%`
  const ofSize = (value: number) => percent(value / (metrics.unitsPerEm * sizeAdjust))
  const lines = [
    `font-family: '${name}'`,
    `src: local('${system}')`,
    `size-adjust: ${percent(sizeAdjust)}`,
    `ascent-override: ${ofSize(metrics.ascent)}`,
    `descent-override: ${ofSize(metrics.descent)}`,
    `line-gap-override: ${ofSize(metrics.lineGap)}`,
  ]
  return `@font-face { ${lines.join('; ')} }\n`
}

/** The metrics of a font file; undefined for a file that is no font, or has no letters. */
export async function measureFont(path: string): Promise<FontMetrics | undefined> {
  try {
    // Loaded for the first font: other sites start sooner.
    const { fromFile } = await import('@capsizecss/unpack/fs')
    const { ascent, descent, lineGap, unitsPerEm, xWidthAvg } = await fromFile(path)
    const isUsable = [ascent, descent, lineGap].every(Number.isFinite) && unitsPerEm > 0 && xWidthAvg > 0
    return isUsable ? { ascent, descent, lineGap, unitsPerEm, xWidthAvg } : undefined
  } catch {
    // The caller names the file.
    return undefined
  }
}
