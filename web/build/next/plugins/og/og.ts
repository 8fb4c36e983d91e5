// What `next/og` draws with (X1): packages that the site installs, found from its folder, because the module of Portico
// imports them. Without them an import by the site is an error, and what a package draws fails.

import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Plugin } from 'vite'
import { type BundleSources, isSiteModule } from '../../../bundle-sources/bundle-sources.ts'
import { findInstalled } from '../../../package-json.ts'
import { refusedImport } from '../../../readable-error.ts'
import { appRelative, withoutQuery } from '../../../source/source.ts'
import type { NextPlugin } from '../next-plugin.ts'

const OG = /^next\/og(?:\.js)?$/
/** What the module imports. */
const PACKAGES = 'virtual:portico/og-packages'
const OWN_PACKAGES = ['satori', '@resvg/resvg-js']
/** Begin of the names that the module below has for them. */
const OF_SITE = 'portico-og:'
const FONT = '@fontsource/geist'
/** The default font of Next.js. The first part has the plain name, and satori looks for letters in all of them. */
const SUBSETS = ['latin', 'latin-ext', 'cyrillic', 'cyrillic-ext', 'vietnamese']

export const og = {
  plugins: (appDir, sources) => [drawingPackages(appDir, sources)],
} satisfies NextPlugin

function drawingPackages(appDir: string, sources: () => BundleSources): Plugin {
  return {
    name: 'portico:next-og',
    enforce: 'pre',
    resolveId: {
      filter: { id: [OG, new RegExp(`^(?:${PACKAGES}$|${OF_SITE})`)] },
      handler(source, importer) {
        if (source === PACKAGES) return `\0${PACKAGES}`
        if (source.startsWith(OF_SITE)) return this.resolve(source.slice(OF_SITE.length), join(appDir, 'package.json'))
        const path = withoutQuery(importer ?? '')
        if (!sources().next.on || !isSiteModule(path)) return undefined
        const rule = missingRule(appDir)
        if (rule !== undefined) throw refusedImport(path, source, appDir, { rule })
        if (!hasFont(appDir) && existsSync(path) && !/\bfonts\b/.test(readFileSync(path, 'utf8')))
          sources().notes.add(
            `${appRelative(appDir, path)}: an ImageResponse without fonts needs the font Geist: run npm install ${FONT}, or pass fonts`,
          )
        return undefined
      },
    },
    load: {
      filter: { id: new RegExp(`^\0${PACKAGES}$`) },
      handler: () => packagesModule(appDir),
    },
  }
}

/** What an import of `next/og` lacks. */
function missingRule(appDir: string): string | undefined {
  const missing = OWN_PACKAGES.filter((name) => findInstalled(name, appDir) === undefined).join(' ')
  return missing === '' ? undefined : `draws with packages of the site; run npm install ${missing}`
}

function hasFont(appDir: string): boolean {
  return findInstalled(FONT, appDir) !== undefined
}

function packagesModule(appDir: string): string {
  const rule = missingRule(appDir)
  if (rule !== undefined)
    return `throw new Error(${JSON.stringify(`"next/og" ${rule} and build or start development again`)})`
  return `export { default as satori } from '${OF_SITE}satori'
export { renderAsync } from '${OF_SITE}@resvg/resvg-js'
export const geist = ${geist(appDir)}`
}

/** In the bundle: the font is 45 KB. */
function geist(appDir: string): string {
  const folder = findInstalled(FONT, appDir)
  if (folder === undefined) return 'undefined'
  const fonts = SUBSETS.map((subset, index) => {
    const text = readFileSync(join(folder, `files/geist-${subset}-400-normal.woff`)).toString('base64')
    const name = index === 0 ? 'geist' : `geist ${subset}`
    return `{ name: '${name}', weight: 400, style: 'normal', data: Buffer.from('${text}', 'base64') }`
  })
  return `[\n${fonts.join(',\n')},\n]`
}
