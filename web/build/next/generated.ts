// The lines of generated modules for sites of Next.js: `_app` in the contexts of Next.js, and their documents.

import { join } from 'node:path'
import type { SiteAdapter } from '../adapter.ts'
import type { AppFolder } from '../folder/folder.ts'
import { runtimeModule } from '../framework-files.ts'

export const generated: SiteAdapter['generated'] = {
  server: (folder) => [...appLines(folder), ...documentLines(folder)],
  browser: browserApp,
  middleware: { create: 'nextMiddleware', module: runtimeModule('next/server/middleware.ts') },
}

/** The contexts of Next.js are around `_app` (X2). */
function appLines(folder: AppFolder): string[] {
  return [
    `import SiteApp from ${siteFile(folder, 'app') ?? quoted('app.tsx')}`,
    `import { framed } from ${quoted('frame.tsx')}`,
    'export const App = framed(SiteApp)',
  ]
}

/** The document may read the request (X10). */
function documentLines(folder: AppFolder): string[] {
  return [
    'export const Document = undefined',
    `export { createFrame } from ${quoted('server-frame.tsx')}`,
    `import SiteDocument from ${siteFile(folder, 'document') ?? quoted('document.tsx')}`,
    `import { requestDocument } from ${quoted('server-document.tsx')}`,
    'export const createRequestDocument = (tools) => requestDocument(SiteDocument, SiteApp, tools)',
    `import { siteInitialProps } from ${quoted('server-initial-props.ts')}`,
    'export const createInitialProps = (tools) => siteInitialProps(SiteApp, tools)',
  ]
}

/** In StrictMode under development, and with `reportWebVitals` of `_app` (X16). */
function browserApp(folder: AppFolder, isStrict: boolean): string {
  const app = siteFile(folder, 'app')
  const hasVitals = app !== undefined && folder.hasVitals
  return `import SiteApp from ${app ?? quoted('app.tsx')}
import { framed } from ${quoted('frame.tsx')}
export { SiteApp }
${hasVitals ? `import { reportWebVitals } from ${app}\nimport { measured } from ${quoted('report-vitals.tsx')}` : ''}
${isStrict ? "import { createElement, StrictMode } from 'react'" : ''}
const Framed = framed(${hasVitals ? 'measured(SiteApp, reportWebVitals)' : 'SiteApp'})
export const App = ${isStrict ? '(props) => createElement(StrictMode, null, createElement(Framed, props))' : 'Framed'}`
}

function siteFile(folder: AppFolder, name: 'app' | 'document'): string | undefined {
  const file = folder[name]
  return file && JSON.stringify(join(folder.dir, file))
}

function quoted(name: string): string {
  return JSON.stringify(runtimeModule(`next/${name}`))
}
