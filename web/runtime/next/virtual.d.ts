// Virtual modules of sites of Next.js (web/build/next). TypeScript reads this in sites, too.

declare module 'virtual:portico/browser-app' {
  import type { ComponentType } from 'react'
  import type { AppProps } from '../react/page-types.ts'
  /** `_app` itself. */
  export const SiteApp: ComponentType<AppProps>
}
declare module 'virtual:portico/next-config' {
  export const runtimeConfig: {
    publicRuntimeConfig: Record<string, unknown>
    serverRuntimeConfig: Record<string, unknown>
  }
}
/** The packages of a site that `next/og` draws with. Throws where a package is missing. */
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
