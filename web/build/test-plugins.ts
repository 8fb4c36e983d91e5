// The plugins of `portico/testing/vitest`: vitest runs the sources of an app folder with the modules of a build, and
// `portico/testing` gets the folder's pages, actions and settings.

import { join, resolve, sep } from 'node:path'
import type { Manifest } from '@portico/shared/wire/build-output.ts'
import type { Plugin, UserConfig } from 'vite'
import { readActionExports } from './bundle-sources/bundle-sources.ts'
import { commonConfig, porticoPlugins, sitePlugins } from './bundles/bundles.ts'
import { createDevImages, createSourceReader } from './dev/dev.ts'
import { hasUseServer } from './folder/folder.ts'
import { FRAMEWORK, RUNTIME_FILES } from './framework-files.ts'
import { writeCompilerOptions } from './site-types.ts'
import { appRelative, isScript, withoutQuery } from './source/source.ts'
import { REFERENCES } from './transforms/transforms.ts'

/** The module that portico/testing loads. */
const SITE_MODULE = 'virtual:portico/test-site'
/** The folder and its manifest, for the modules of portico/testing. */
const FOLDER_MODULE = 'virtual:portico/test-folder'

/** Reads the folder. Throws BuildError for faults of the author. */
export async function testPlugins(appDir: string): Promise<Plugin[]> {
  const dir = resolve(appDir)
  await writeCompilerOptions(dir)
  const reader = createSourceReader(dir)
  const result = await reader.read()
  if (result.kind === 'fault') throw result.fault
  const { config } = reader.sources()
  return [
    settings(dir, commonConfig(reader.sources())),
    testModules({ dir, manifest: result.manifest }),
    actionForms(dir),
    ...porticoPlugins(dir, reader.sources, createDevImages()).filter(({ name }) => name !== REFERENCES),
    ...(await sitePlugins(config, { bundle: 'server', dev: true })),
  ]
}

interface TestFolder {
  dir: string
  manifest: Manifest
}

/** The services run as they are; everything else, packages included, runs with the plugins, as in a build. */
function settings(dir: string, { css, define, oxc, resolve: resolveOptions }: UserConfig): Plugin {
  const services = join(FRAMEWORK, 'services') + sep
  const config = {
    ...(css && { css }),
    ...(define && { define }),
    ...(oxc !== undefined && { oxc }),
    ...(resolveOptions && { resolve: resolveOptions }),
    publicDir: false as const,
    test: {
      dir,
      // Restored from the cache of an earlier run, modules of packages would be files with the names of their ids.
      fsModuleCache: false,
      setupFiles: [RUNTIME_FILES.testingSetup],
      server: {
        deps: {
          external: [new RegExp(`^${RegExp.escape(services)}(?!shared/wire/)`)],
          inline: [/[\\/]node_modules[\\/](?!(?:vitest|@vitest|vite)[\\/])/],
        },
      },
    },
  }
  return { name: 'portico:test-settings', enforce: 'pre', config: () => config }
}

/** Resolves portico/testing, and writes what it needs of the folder. */
function testModules(folder: TestFolder): Plugin {
  return {
    name: 'portico:test-modules',
    enforce: 'pre',
    resolveId(source) {
      if (source === 'portico/testing') return RUNTIME_FILES.testing
      if (source === SITE_MODULE) return RUNTIME_FILES.testSite
      return source === FOLDER_MODULE ? `\0${FOLDER_MODULE}` : undefined
    },
    load(id) {
      if (id !== `\0${FOLDER_MODULE}`) return undefined
      return `export const folder = ${JSON.stringify(folder)}`
    },
  }
}

/** Actions keep their code, and React renders them into the forms that a build gives them. */
function actionForms(appDir: string): Plugin {
  return {
    name: 'portico:test-action-forms',
    enforce: 'pre',
    transform(code, id) {
      const path = withoutQuery(id)
      const file = appRelative(appDir, path)
      if (file.startsWith('..') || !isScript(path) || !hasUseServer(code, file)) return undefined
      const lines = readActionExports(code, file).map(
        ({ id: actionId, name, repeat }) =>
          `renderAsForm(porticoActions[${JSON.stringify(name)}], ${JSON.stringify(actionId)}, ${repeat === 'allow'})`,
      )
      return {
        code: `${code}\nimport * as porticoActions from ${JSON.stringify(path)}\nimport { renderAsForm } from ${JSON.stringify(RUNTIME_FILES.testingForms)}\n${lines.join('\n')}\n`,
        map: null,
      }
    },
  }
}
