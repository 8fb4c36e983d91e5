// Modules that the build writes for the bundles' entries (web/build/bundles/virtual-modules).

declare module 'virtual:portico/server-pages' {
  import type { DataKind, ImageSettings } from '@portico/shared/wire/build-output.ts'
  import type { InstrumentationModule, PageModule } from '@portico/shared/wire/bundles.ts'
  import type { Middleware } from '@portico/shared/wire/middleware/middleware-function.ts'
  import type { SiteInitialProps } from '@portico/shared/wire/next/initial-props.ts'
  import type { ComponentType } from 'react'
  import type {
    DocumentFrame,
    DocumentTools,
    InitialFlags,
    RequestDocument,
    SiteTools,
  } from './react/document-frame.ts'
  import type { AppProps } from './react/page-types.ts'
  export const pages: Record<string, () => Promise<PageModule>>
  export const middleware: Middleware | undefined
  export const App: ComponentType<AppProps> | undefined
  export const Document: ComponentType | undefined
  export const createFrame: ((data: DataKind, flags: InitialFlags) => DocumentFrame) | undefined
  export const createInitialProps: ((tools: SiteTools) => SiteInitialProps) | undefined
  export const createRequestDocument: ((tools: DocumentTools) => RequestDocument) | undefined
  export const images: Pick<ImageSettings, 'deviceSizes' | 'imageSizes' | 'qualities'> & { unoptimized?: true }
  export const instrumentation: (() => Promise<InstrumentationModule>) | undefined
}
declare module 'virtual:portico/browser-app' {
  import type { ImageSettings } from '@portico/shared/wire/build-output.ts'
  import type { ComponentType } from 'react'
  import type { AppProps } from './react/page-types.ts'
  export const App: ComponentType<AppProps> | undefined
  export const images: Pick<ImageSettings, 'deviceSizes' | 'imageSizes' | 'qualities'> & { unoptimized?: true }
}
declare module 'virtual:portico/actions' {
  import type { ActionFunction, ActionsBundle, ApiModule, InstrumentationModule } from '@portico/shared/wire/bundles.ts'
  export const EdgeRequest: ActionsBundle['EdgeRequest']
  export const actions: Record<string, { name: string; load: () => Promise<ActionFunction> }>
  export const apiRoutes: Record<string, () => Promise<ApiModule>>
  export const instrumentation: (() => Promise<InstrumentationModule>) | undefined
}
/** Shares the framework with packages when it is loaded, but for builds. */
declare module 'virtual:portico/framework' {}
declare module 'virtual:portico/test-folder' {
  import type { Manifest } from '@portico/shared/wire/build-output.ts'
  export const folder: { dir: string; manifest: Manifest }
}
