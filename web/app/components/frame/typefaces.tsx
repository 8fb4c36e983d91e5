// Preloads the typefaces before the browser reads the styles that name them, so that the first paint has them.

import '../../styles/typefaces.css'
import display from '../../typefaces/fraunces.woff2'
import italic from '../../typefaces/fraunces-italic.woff2'
import text from '../../typefaces/inter.woff2'

/** The typefaces in the first window of nearly every page; others are loaded when a page needs them. */
export function Typefaces() {
  return [text, display, italic].map((href) => <link key={href} rel="preload" as="font" href={href} crossOrigin="" />)
}
