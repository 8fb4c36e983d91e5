// Preloads the typefaces before the browser reads the styles that name them, so that the first paint has them.

import display from '@fontsource-variable/fraunces/files/fraunces-latin-opsz-normal.woff2'
import italic from '@fontsource-variable/fraunces/files/fraunces-latin-wght-italic.woff2'
import text from '@fontsource-variable/inter/files/inter-latin-wght-normal.woff2'
import '../../styles/typefaces.css'

/** The typefaces in the first window of nearly every page; others are loaded when a page needs them. */
export function Typefaces() {
  return [text, display, italic].map((href) => (
    <link key={href} rel="preload" as="font" type="font/woff2" href={href} crossOrigin="anonymous" />
  ))
}
