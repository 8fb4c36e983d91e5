// Names that mean other modules: those of `turbopack.resolveAlias`, and those that stylesheets share with modules. Bundlers
// have no plugins where Sass and `@import` look for files, so that these are aliases, which hold for modules, too.

import { resolve } from 'node:path'
import { type PathOptions, readPathOptions } from '../../../source/source.ts'

interface NameAlias {
  find: RegExp
  replacement: string
}

/** The aliases of an app, the first that fits first: in modules, and in stylesheets of CSS and Sass. */
export function aliasesOf(appDir: string, aliases: Readonly<Record<string, string>>, tsconfig?: string): NameAlias[] {
  const named = Object.entries(aliases).map(([name, target]) => aliasOf(appDir, name, target))
  const options = readPathOptions(appDir, tsconfig)
  return [...named, ...pathsAliases(options), ...tildeAliases(appDir, options)]
}

/** A name that ends in `$` means the module itself, without paths below it; a star is any text, which the target may have. */
function aliasOf(appDir: string, name: string, target: string): NameAlias {
  const replacement = target.startsWith('.') ? resolve(appDir, target) : target
  const [start = '', end] = name.split('*')
  if (end !== undefined) {
    const find = new RegExp(`^${RegExp.escape(start)}(.*)${RegExp.escape(end)}$`)
    return { find, replacement: replacement.replace('*', '$1') }
  }
  const isExact = name.endsWith('$')
  const plain = RegExp.escape(isExact ? name.slice(0, -1) : name)
  return { find: new RegExp(isExact ? `^${plain}$` : `^${plain}(?=/|$)`), replacement }
}

/** The entries of `paths` that no package has for a name; modules look for those with several targets themselves. */
function pathsAliases({ paths, pathsBase }: PathOptions): NameAlias[] {
  return Object.entries(paths).flatMap(([pattern, [target, ...others]]) => {
    if (!/^(@\/|[~$])/.test(pattern) || target === undefined || others.length > 0) return []
    return [aliasOf(pathsBase, pattern.includes('*') ? pattern : `${pattern}$`, resolve(pathsBase, target))]
  })
}

/**
 * What loaders of webpack take for a package (`~bootstrap/scss/grid`) and for a path of the app (`~/styles/values`); not
 * for names of `paths`.
 */
function tildeAliases(appDir: string, { paths }: PathOptions): NameAlias[] {
  const own = Object.keys(paths).flatMap((pattern) => (pattern.startsWith('~') ? [pattern.split('*')[0] ?? ''] : []))
  const others = own.map((start) => `(?!${RegExp.escape(start)})`).join('')
  return [
    { find: new RegExp(`^${others}~/`), replacement: `${appDir}/` },
    { find: new RegExp(`^${others}~(?=[@\\w])`), replacement: '' },
  ]
}
