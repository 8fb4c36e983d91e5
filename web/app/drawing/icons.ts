// The mark of the Atlas: a sun over three ridges. The favicon follows the reader's light or dark; the others are solid.
import sharp from 'sharp'

const ridges =
  '<path class="far" d="M0 40L14 27L22 33L37 19L50 32L64 24V64H0Z"/><path class="mid" d="M0 48L18 38L30 45L44 36L64 47V64H0Z"/><path class="near" d="M0 57L20 49L38 56L64 48V64H0Z"/>'

/** favicon.svg; the colours answer to the browser's own theme. */
export function faviconSvg(): string {
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 64 64">
<title>Atlas</title>
<style>.sky{fill:#f6e3c8}.sun{fill:#e2693f}.far{fill:#9db4bd}.mid{fill:#537888}.near{fill:#1f3d4c}@media(prefers-color-scheme:dark){.sky{fill:#14213a}.sun{fill:#ffcf8f}.far{fill:#3c4f78}.mid{fill:#2a6f80}.near{fill:#58c6a4}}</style>
<clipPath id="c"><rect width="64" height="64" rx="14"/></clipPath>
<g clip-path="url(#c)"><rect class="sky" width="64" height="64"/><circle class="sun" cx="45" cy="17" r="8"/>${ridges}</g>
</svg>
`
}

function solidSvg(size: number): string {
  const colours = { far: '#9db4bd', mid: '#537888', near: '#1f3d4c' }
  const painted = ridges.replace(
    /class="(far|mid|near)"/g,
    (_all, name: keyof typeof colours) => `fill="${colours[name]}"`,
  )
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${size}" height="${size}" viewBox="0 0 64 64"><rect width="64" height="64" fill="#f6e3c8"/><circle cx="45" cy="17" r="8" fill="#e2693f"/>${painted}</svg>`
}

/** Files of public/ with their sizes in pixels. Squares: phones cut their own corners. */
export const icons = [
  { file: 'icon-192.png', size: 192 },
  { file: 'icon-512.png', size: 512 },
  { file: 'apple-touch-icon.png', size: 180 },
] as const

/** A PNG of the mark. */
export async function renderIcon(size: number): Promise<Buffer> {
  return await sharp(Buffer.from(solidSvg(size)))
    .png({ palette: true, compressionLevel: 9 })
    .toBuffer()
}
