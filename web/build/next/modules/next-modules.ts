// The modules of Next.js that Portico has (X1), by exact name, and the file of each. Any other name is refused.

import { runtimeModule } from '../../framework-files.ts'

/** File in web/runtime/next by the name that sites import. */
const MODULES: Readonly<Record<string, string>> = {
  next: 'types.ts',
  'next/types': 'types.ts',
  'next/link': 'link.tsx',
  'next/router': 'router.tsx',
  'next/compat/router': 'compat-router.ts',
  'next/navigation': 'navigation.ts',
  'next/head': 'head.tsx',
  'next/dynamic': 'dynamic.tsx',
  'next/image': 'image.tsx',
  'next/legacy/image': 'legacy-image.tsx',
  'next/script': 'script.tsx',
  'next/document': 'document.tsx',
  'next/app': 'app.tsx',
  'next/error': 'error.tsx',
  'next/form': 'form.tsx',
  'next/config': 'config.ts',
  'next/constants': 'constants.ts',
  'next/web-vitals': 'web-vitals.ts',
  'next/server': 'server.ts',
  'next/og': 'og.ts',
  'next/font/local': 'font-local.ts',
  'next/font/google': 'font-google.ts',
  // Comes with Next.js.
  'styled-jsx': 'styled-jsx.tsx',
  'styled-jsx/style': 'styled-jsx-style.ts',
  'styled-jsx/css': 'styled-jsx-css.ts',
}

/** Inner modules of Next.js that libraries import, by the public module or the file that has the same exports. */
const INNER: Readonly<Record<string, string>> = {
  'next/dist/client/link': 'link.tsx',
  'next/dist/client/router': 'router.tsx',
  'next/dist/client/with-router': 'router.tsx',
  'next/dist/client/script': 'script.tsx',
  'next/dist/client/image': 'legacy-image.tsx',
  'next/dist/client/image-component': 'image.tsx',
  'next/dist/client/components/navigation': 'navigation.ts',
  'next/dist/shared/lib/head': 'head.tsx',
  'next/dist/shared/lib/dynamic': 'dynamic.tsx',
  'next/dist/shared/lib/constants': 'constants.ts',
  'next/dist/shared/lib/router/router': 'router.tsx',
  'next/dist/shared/lib/router-context': 'contexts.ts',
  'next/dist/shared/lib/router-context.shared-runtime': 'contexts.ts',
  'next/dist/shared/lib/app-router-context': 'contexts.ts',
  'next/dist/shared/lib/app-router-context.shared-runtime': 'contexts.ts',
  'next/dist/shared/lib/hooks-client-context.shared-runtime': 'contexts.ts',
  // Sites and libraries import types only.
  'next/dist/shared/lib/utils': 'types.ts',
}

const WITHOUT_DEFAULT = /(types|compat-router|navigation|contexts|constants|web-vitals|font-google|server|og)\.ts$/

/** Whether a module has a default export. */
export function hasDefault(name: string): boolean {
  return !WITHOUT_DEFAULT.test(nextFile(name) ?? '')
}

/** The public modules; docs/next-modules.md names each. */
export const MODULES_OF_NEXT: readonly string[] = Object.keys(MODULES)

/** The names, for the types of app folders. */
export const NEXT_NAMES: readonly string[] = [...Object.keys(MODULES), ...Object.keys(INNER)]

/** The file of a module of Next.js, also with `.js` at its end; undefined for a name that Portico does not have. */
export function nextFile(specifier: string): string | undefined {
  const name = specifier.replace(/\.js$/, '')
  const file = Object.hasOwn(MODULES, name) ? MODULES[name] : Object.hasOwn(INNER, name) ? INNER[name] : undefined
  return file && runtimeModule(`next/${file}`)
}
