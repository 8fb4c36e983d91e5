// The packages of a site that `next/og` draws with, which web/build/next/plugins/og finds. TypeScript reads this in
// sites, too.

/** Throws where a package is missing. */
declare module 'virtual:portico/og-packages' {
  import type { ReactNode } from 'react'

  interface Font {
    name: string
    data: ArrayBuffer | Uint8Array
  }
  interface LayoutOptions {
    width: number
    height: number
    fonts: readonly Font[]
    debug: boolean
    /** For text that no font has: a language, several with `|` between them, or `emoji`. */
    loadAdditionalAsset: (language: string, text: string) => Promise<string | Font[]>
  }
  export const satori: (element: ReactNode, options: LayoutOptions) => Promise<string>
  export const renderAsync: (
    svg: string,
    options: { font: { loadSystemFonts: boolean } },
  ) => Promise<{ asPng(): Uint8Array<ArrayBuffer> }>
  /** Undefined without @fontsource/geist. */
  export const geist: readonly Font[] | undefined
}
