// `next/font/local`: the build replaces each call by the names of its styles (X1).

import { type NextFont, notReplaced } from './font-types.ts'

export default function localFont(_options: object): NextFont {
  return notReplaced('next/font/local')
}
